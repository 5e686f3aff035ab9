import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type FileFigures,
  figuresPlace,
  grownStages,
  keepRun,
  keptRuns,
  longFiles,
  type Run,
  type Stage,
} from '../../../../scripts/test.d/figures.ts'
import { type FileResult, skippedTests } from '../../../../scripts/test.d/results.ts'
import { causeOf, renderWhere } from '../../../../scripts/test.d/where.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-figures-'))
beforeEach(() => rmSync(directory, { recursive: true, force: true }))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const stage = (name: string, processorSeconds: number, failed = 0): Stage => {
  return { name, passed: 1, failed, wallSeconds: processorSeconds, processorSeconds }
}
const run = (stages: readonly Stage[], files: readonly FileFigures[] = []): Run => {
  return { began: 0, kind: '2 processors', stages, files }
}
const file = (path: string, wallSeconds: number): FileFigures => ({ path, wallSeconds, processorSeconds: wallSeconds })

describe('the figures of the last test runs', () => {
  test('are kept in the directory for states, or in that of the account without HOME', () => {
    expect(figuresPlace({ XDG_STATE_HOME: '/states', HOME: '/home/a' })).toBe('/states/davit-tests')
    expect(figuresPlace({ HOME: '/home/a' })).toBe('/home/a/.local/state/davit-tests')
    expect(figuresPlace({})).toMatch(/^\/.*\/\.local\/state\/davit-tests$/)
  })

  test('are those of twenty runs at most, and nothing else is left beside them', () => {
    for (let number = 1; number <= 23; number++) keepRun(directory, run([stage('lint', number)]))
    expect(keptRuns(directory).map(({ stages }) => stages[0]?.processorSeconds)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 4),
    )
    expect(readdirSync(directory)).toEqual(['runs.json'])
  })

  test('count as none where they cannot be read', () => {
    expect(keptRuns(join(directory, 'none'))).toEqual([])
    keepRun(directory, run([]))
    writeFileSync(join(directory, 'runs.json'), '{ "runs": [')
    expect(keptRuns(directory)).toEqual([])
  })
})

describe('a stage has grown', () => {
  const earlier = [10, 90, 11, 10, 9, 10].map((seconds) => run([stage('lint', seconds)]))

  test('if it uses more than a fifth more than the median of the last runs', () => {
    expect(grownStages(run([stage('lint', 12.5)]), earlier)).toEqual([{ stage: 'lint', before: 10, now: 12.5 }])
    expect(grownStages(run([stage('lint', 11.9)]), earlier)).toEqual([])
  })

  test('only in comparison with the same stage of successful runs of the same kind', () => {
    const others = [run([stage('types', 1)]), { ...run([stage('lint', 1)]), kind: '8 processors' }]
    expect(grownStages(run([stage('lint', 100)]), [...others, run([stage('lint', 1, 1)])])).toEqual([])
  })

  test('by more than a moment', () => {
    expect(grownStages(run([stage('floors', 0.5)]), [run([stage('floors', 0.1)])])).toEqual([])
  })
})

test('the longest files are those of the last run without failures', () => {
  const good = run([stage('lint', 1)], [file('long', 60), ...Array.from({ length: 200 }, (_, n) => file(`s${n}`, 0.1))])
  const bad = run([stage('lint', 1, 1)], [file('other', 60)])
  expect(longFiles([good, bad])).toEqual(new Set(['long']))
  expect(longFiles([bad])).toEqual(new Set())
})

describe('skipped tests', () => {
  const SOURCE = `
    test.runIf(isRoot)('needs root', () => {})
    test.skipIf(!HAS_NIX).each([1, 2])('needs Nix: %d', () => {})
    describe.skipIf(noServer !== undefined || sshdMissing())('with a server', () => {})
    describe.skipIf(shell.name === 'busybox').each(shells)('under $name', () => {})
    test.skip('is broken', () => {})`
  const result = (titles: readonly string[]): FileResult => {
    const path = join(directory, 'a.test.ts')
    rmSync(directory, { recursive: true, force: true })
    keepRun(directory, run([]))
    writeFileSync(path, SOURCE)
    const assertionResults = titles.map((fullName) => ({ status: 'skipped', fullName }))
    return { name: path, status: 'passed', startTime: 0, endTime: 0, assertionResults }
  }

  test.each([
    ['needs root', 'unless isRoot'],
    ['a group needs Nix: 2', 'unless HAS_NIX'],
    ['with a server works', 'if noServer !== undefined || sshdMissing()'],
    ['under busybox stops', "if shell.name === 'busybox'"],
    ['is broken', 'always'],
    ['something else', 'for another reason'],
  ])('%s: %s', (fullName, why) => {
    expect(skippedTests([result([fullName])])).toMatchObject([{ why, tests: 1 }])
  })

  test('are counted by reason, the most frequent first', () => {
    expect(skippedTests([result(['needs root', 'needs Nix: 1', 'needs Nix: 2'])])).toMatchObject([
      { why: 'unless HAS_NIX', tests: 2 },
      { why: 'unless isRoot', tests: 1 },
    ])
  })
})

describe('where the processor time went', () => {
  test.each([
    ['node', 'node /x/node_modules/vitest/dist/workers/forks.js', 'unit tests', 'tests'],
    ['node', 'node /x/bin/davit-lock.cjs status', 'end-to-end tests', 'Node'],
    ['node', 'node /x/bin/davit-lock.cjs --version', 'installation', 'building'],
    ['esbuild', 'esbuild --service', 'unit tests', 'building'],
    ['nix-store', 'nix-store --realise', 'tests with machines', 'Nix'],
    ['mariadbd', 'mariadbd', 'tests with machines', 'servers'],
    ['sshd', 'sshd: root', 'end-to-end tests', 'ssh'],
    ['dash', 'sh -c true', 'tests with machines', 'shells'],
    ['bash', 'bash vitest', 'tests with machines', 'shells'],
  ])('%s (%s) in the stage %s counts as %s', (name, commandLine, stageName, cause) => {
    expect(causeOf(name, commandLine, stageName)).toBe(cause)
  })

  test('is a table of the run, its stages and its files, and what nobody saw are short programs', () => {
    const stages = [stage('unit tests', 10), stage('lint', 4)]
    const files = [file('a.test.ts', 6)]
    const where = { 'unit tests': { tests: 5, Node: 3 }, 'a.test.ts': { tests: 1, shells: 2 }, lint: { building: 4 } }
    expect(renderWhere(where, { files, stages }).split('\n').slice(3)).toEqual([
      '      all    tests     Node      Nix  servers      ssh building   shells',
      '     14.0      5.0      3.0      0.0      0.0      0.0      4.0      2.0  the whole run',
      '     10.0      5.0      3.0      0.0      0.0      0.0      0.0      2.0  unit tests',
      '      4.0      0.0      0.0      0.0      0.0      0.0      4.0      0.0  lint',
      '      6.0      1.0      0.0      0.0      0.0      0.0      0.0      5.0  a.test.ts',
    ])
  })

  test('is that of the whole run alone where there are no control groups', () => {
    const text = renderWhere({ 'the whole run': { tests: 1 } }, { files: [], stages: [stage('lint', 4)] })
    expect(text.split('\n').slice(4)).toEqual([
      '      4.0      1.0      0.0      0.0      0.0      0.0      0.0      3.0  the whole run',
    ])
  })
})
