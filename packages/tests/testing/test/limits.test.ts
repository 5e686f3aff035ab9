import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../../../scripts/executables.ts'

const MINUTE = 60_000

/** Files that let time pass, and why: what they test is the time itself, or something that goes on meanwhile. */
const TIMED: Readonly<Record<string, string>> = {
  'packages/compositions/env/test/stand-in.ts': 'a step that fails later',
  'packages/effects/connection/test/held-limits.test.ts': 'fake timers',
  'packages/effects/connection/test/hostile-servers.machines.test.ts':
    'a queue that is full as soon as a connection hangs',
  'packages/effects/connection/test/ssh-channel.machines.test.ts': 'what is read or taken without a reader',
  'packages/effects/modules/test/process-ready.machines.test.ts': 'a server that listens later',
  'packages/effects/process/test/process.test.ts': 'what is read without a reader',
  'packages/machines/store/test/altered.test.ts': 'a build that is interrupted in its middle',
  'packages/machines/target/test/native-build.machines.test.ts':
    'a build that is silent for longer than a machine may be',
  'packages/machines/target/test/nix-build.machines.test.ts': 'a build that is silent for longer than a machine may be',
  'packages/machines/target/test/silence.machines.test.ts': 'machines that are silent',
  'packages/shipped/stack-library/test/lambda.test.ts': 'functions that answer later',
  'packages/tests/testing/test/expressions.test.ts': 'expressions that hang',
  'packages/toolkit/tool/test/probe-tool.ts': 'a tool that takes long',
  'packages/workflows/service-logs/test/follow-logs.test.ts': 'a machine that is reached later',
  'test/examples/hello.test.ts': 'a page that is asked for all the time',
  'test/faults/drive/laboratory.ts': 'surveys, which are judged even if something is left',
  'test/faults/drive/run.ts': 'two signals that are not one wish',
  'test/harness/own-resources.ts': 'timers of tools, which end with them',
  'test/hosts/login-session.test.ts': 'what is left a while after a login',
  'test/project/tools-here.test.ts': 'timers of tools, which end with them',
}

/** What a test file says about time that `@davit/testing/wait` has to say. */
function problemsOf(file: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = [
      /\bvi\.wait(?:For|Until)\(|\bexpect\.poll\(|\bwaitAtMost\(/.test(line) && 'waits by itself: use until()',
      /\bsetTimeout\b/.test(line) && !Object.hasOwn(TIMED, file) && 'lets time pass: use until()',
      limitsIn(line).some((limit) => limit < MINUTE) && 'has a limit below a minute',
    ]
    return found.flatMap((problem) => (problem === false ? [] : [`${file}:${index + 1} ${problem}`]))
  })
}

/** Milliseconds that end a test, a hook or a program: an option, or the last argument. */
function limitsIn(line: string): readonly number[] {
  const found = [
    /\b(?:timeout|testTimeout|hookTimeout): (\d[\d_]*)(?= *[,}]|$)/.exec(line),
    /^\s*\}, (\d[\d_]{2,})\)$/.exec(line),
  ]
  return found.flatMap((match) => (match === null ? [] : [Number((match[1] ?? '').replaceAll('_', ''))]))
}

const OWN = ['packages/tests/testing/test/limits.test.ts', 'packages/tests/testing/test/wait.test.ts']

function testFiles(): readonly string[] {
  const below = (directory: string) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((name) => `${directory}/${name}`)
  const groups = readdirSync(join(ROOT, 'packages'))
  const packages = groups.flatMap((group) =>
    readdirSync(join(ROOT, 'packages', group)).map((name) => `${group}/${name}`),
  )
  const tests = packages.map((name) => `packages/${name}/test`).filter((name) => hasDirectory(join(ROOT, name)))
  return ['test', ...tests]
    .flatMap(below)
    .filter((name) => name.endsWith('.ts') && !name.includes('/fixtures/') && !OWN.includes(name))
}

function hasDirectory(path: string): boolean {
  try {
    return readdirSync(path).length > 0
  } catch {
    return false
  }
}

describe('tests', () => {
  const files = testFiles()

  test('wait in one place, never sleep, and have no limit below a minute', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(files.flatMap((file) => problemsOf(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
  })

  test('that let time pass are named only as long as they do', () => {
    const passes = (file: string) =>
      files.includes(file) && readFileSync(join(ROOT, file), 'utf8').includes('setTimeout')
    expect(Object.keys(TIMED).filter((file) => !passes(file))).toEqual([])
  })

  test.each([
    'await vi.waitFor(() => expect(one).toBe(two))',
    'await vi.waitUntil(() => isThere, { timeout: 90_000 })',
    'await expect.poll(() => one).toBe(two)',
    'await new Promise((resolve) => setTimeout(resolve, 20))',
    "import { setTimeout as pause } from 'node:timers/promises'",
    '  }, 30_000)',
    "test('x', { timeout: 59_999 }, async () => {",
    "spawnSync('x', [], { timeout: 500 })",
  ])('may not say: %s', (line) => {
    expect(problemsOf('test/x.test.ts', line)).toHaveLength(1)
  })

  test.each(['await until(() => isThere)', '  }, 60_000)', "properties: { timeout: '0' }"])('may say: %s', (line) => {
    expect(problemsOf('test/x.test.ts', line)).toEqual([])
  })
})
