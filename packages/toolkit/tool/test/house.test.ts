import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { executables, ROOT, toolOf } from '../../../../scripts/executables.ts'
import { floorProblems } from '../../../../scripts/floors.ts'
import { orderKey } from '../../../../scripts/longest-first.ts'
import { renderManPage } from '../src/render-man-page.ts'

test.each(executables().map((executable) => [executable.name, executable] as const))(
  'the manual page of %s is what its table says (npx tsx scripts/man.ts)',
  async (name, executable) => {
    const page = join(executable.directory, 'man', `${name}.1`)
    expect(existsSync(page) ? readFileSync(page, 'utf8') : '').toBe(renderManPage(await toolOf(executable)))
  },
)

describe('the order of test files', () => {
  const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}.test.ts`)
  const longest = new Set(files.slice(0, 3))
  const order = (seed: number) =>
    files.toSorted((left, right) => (orderKey(left, seed, longest) < orderKey(right, seed, longest) ? -1 : 1))

  test('depends on the seed alone, and begins with the longest files', () => {
    for (const seed of [1, 2]) expect(new Set(order(seed).slice(0, longest.size))).toEqual(longest)
    expect(order(1)).toEqual(order(1))
    for (const part of [order(1).slice(0, longest.size), order(1).slice(longest.size)]) {
      expect([3, 4, 5, 6].map((seed) => order(seed).filter((file) => part.includes(file)))).not.toEqual(
        [3, 4, 5, 6].map(() => part),
      )
    }
  })
})

describe('floorProblems()', () => {
  const root = mkdtempSync(join(tmpdir(), 'davit-floors-'))
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  test('finds nothing in this house', () => {
    expect(floorProblems(ROOT)).toEqual([])
  })

  const low = { name: '@davit/low', floor: 10 }
  const high = { name: '@davit/high', floor: 20, dependencies: { '@davit/low': '*' } }
  const testing = { name: '@davit/testing', floor: 0 }

  test.each([
    ['nothing when all is well', { 'planners/high': high, 'documents/low': low }, {}, []],
    [
      'a dependency on the same floor',
      { 'planners/high': high, 'planners/low': { ...low, floor: 20 } },
      {},
      ["packages/planners/high: depends on '@davit/low', which is on floor 20, not below 20"],
    ],
    [
      'a library in the wrong hands',
      { 'documents/low': { ...low, dependencies: { 'yargs-parser': '22.0.0', chalk: '5' } } },
      {},
      [
        "packages/documents/low: depends on 'yargs-parser', which only '@davit/tool' may use",
        "packages/documents/low: depends on 'chalk', which is not in the list of libraries",
      ],
    ],
    [
      'imports that are not declared',
      { 'documents/low': low },
      {
        'documents/low/src/low.ts':
          "import type { A } from '@davit/high'\nimport 'yaml'\nimport {\n  b,\n} from 'ssh2/lib/x.js'\nimport { join } from 'node:path'\nimport { c } from './c.ts'\n// import 'no'\nexport { d } from '@davit/low'\nexport const e = () => import('execa')\n",
      },
      ['@davit/high', 'yaml', 'ssh2', 'execa'].map(
        (name) => `packages/documents/low: src/low.ts imports '${name}', which package.json does not declare`,
      ),
    ],
    [
      'tests that lean on what is not below them, or not public',
      {
        'planners/high': high,
        'documents/low': { ...low, devDependencies: { '@davit/high': '*', 'yargs-parser': '22' } },
      },
      {
        'documents/low/test/low.test.ts':
          "#!/usr/bin/env node\n/** A test. */\nimport { test } from 'vitest'\nimport type {\n  A,\n} from '@davit/high/testing'\n" +
          "import { b } from '../src/low.ts'\nimport { c } from '../../../planners/high/test/c.ts'\nimport { d } from '../../../../scripts/d.ts'\n" +
          "import 'yaml'\nconst program = `\nimport 'not-imported'\n`\n",
        'documents/low/test/fixtures/model.ts': "import 'anything'\n",
      },
      [
        "packages/documents/low: has tests that use '@davit/high', which is on floor 20, not below 10",
        "packages/documents/low: depends on 'yargs-parser', which only '@davit/tool' may use",
        "packages/documents/low: test/low.test.ts imports 'yaml', which package.json does not declare",
        "packages/documents/low: test/low.test.ts imports '../../../planners/high/test/c.ts' from another package",
      ],
    ],
    [
      'sources that lean on tests, or on the sources of others',
      {
        'planners/high': { ...high, dependencies: { '@davit/low': '*', '@davit/testing': '*' } },
        'documents/low': low,
        'tests/testing': testing,
      },
      {
        'planners/high/src/high.ts':
          "import { a } from '@davit/low/testing'\nexport { b } from '../../../documents/low/src/b.ts'\n",
        'tests/testing/src/testing.ts': "import { afterAll } from 'vitest'\n",
      },
      [
        "packages/planners/high: depends on '@davit/testing', which is for tests",
        "packages/planners/high: src/high.ts imports '@davit/low/testing', which is for tests",
        "packages/planners/high: src/high.ts imports '../../../documents/low/src/b.ts' from another package",
      ],
    ],
    [
      'tests across executables that know the inside of packages',
      { 'documents/low': low },
      {
        '../test/harness/a.ts':
          "import { a } from '../b.ts'\nimport { c } from '../../packages/documents/low/src/c.ts'\n",
      },
      ["test/harness/a.ts imports '../../packages/documents/low/src/c.ts' from a package"],
    ],
    [
      'hands on the process',
      { 'documents/low': low },
      {
        'documents/low/src/a.ts': "export const a = 'process.env' + run.process.x // process.exit\n",
        'documents/low/src/b.ts': 'process.exit(1)\n',
      },
      ["packages/documents/low: src/b.ts uses 'process'"],
    ],
    [
      'fields that differ',
      { 'documents/low': { ...low, license: 'GPL', sideEffects: true, main: 'x' } },
      {},
      [
        'packages/documents/low: \'license\' in package.json is not "MIT"',
        "packages/documents/low: 'sideEffects' in package.json is not false",
        "packages/documents/low: 'main' in package.json is not a field that packages have",
      ],
    ],
    [
      'a package in the folder of another floor',
      { 'documents/low': { ...low, floor: 30 } },
      {},
      ["packages/documents/low: is in 'packages/documents', but packages of floor 30 belong in 'packages/effects'"],
    ],
    [
      'a tool without executable',
      { 'tools/low': { ...low, floor: 70 } },
      {},
      ["packages/tools/low: a tool has no 'executables' in package.json"],
    ],
  ])('finds %s', (_, packages, sources, expected) => {
    for (const [name, fields] of Object.entries(packages)) {
      const { name: fullName, floor, ...rest } = fields
      const manifest = {
        name: fullName,
        private: true,
        description: 'x',
        license: 'MIT',
        type: 'module',
        sideEffects: false,
        floor,
        ...rest,
      }
      write(`${name}/package.json`, JSON.stringify(manifest))
    }
    for (const [name, text] of Object.entries(sources)) write(name, text)
    expect(floorProblems(root)).toEqual(expected)
  })

  function write(name: string, text: string): void {
    const path = join(root, 'packages', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
})
