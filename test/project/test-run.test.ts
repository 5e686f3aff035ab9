import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleOf } from '@davit/testing/effort'
import { until } from '@davit/testing/wait'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../scripts/executables.ts'
import { keepRun, keptRuns } from '../../scripts/test.d/figures.ts'

/** A copy of scripts/test beside a test runner that does what each test here needs. */
let directory: string
let root: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'davit-run-'))
  root = join(directory, 'clone')
  for (const name of ['scripts', 'test', 'node_modules/.bin', '../tmp'])
    mkdirSync(join(root, name), { recursive: true })
  for (const name of ['test.d', 'executables.ts', 'test-results.ts']) {
    cpSync(join(ROOT, 'scripts', name), join(root, 'scripts', name), { recursive: true })
  }
  change('scripts/test', /^debian_packages=\([^)]*\)/m, 'debian_packages=()')
  // What is left behind elsewhere on the machine is another test's subject.
  change('scripts/test.d/left-behind.bash', /^places\(\) \{\n[^]*?^\}/m, `places() { echo '${directory}'; }`)
  chmodSync(join(root, 'scripts/test'), 0o755)
  symlinkSync(join(ROOT, 'node_modules/tsx'), join(root, 'node_modules/tsx'))
  for (const name of ['package.json', 'tsconfig.json', 'tsconfig.base.json']) cpSync(join(ROOT, name), join(root, name))
  for (const name of ['package-lock.json', 'node_modules/.package-lock.json']) writeFileSync(join(root, name), '{}')
  // In the place of npm, whose checks are scripts here: npm run --silent NAME.
  mkdirSync(join(directory, 'bin'))
  makeScript(join(directory, 'bin/npm'), `if [ -e '${directory}'/"$3" ]; then . '${directory}'/"$3"; fi`)
  makeScript(join(root, 'scripts/install'), 'mkdir -p "$2/lib/davit"')
  makeScript(join(root, 'scripts/demo'), '')
  // What is installed is newer than what is to be installed.
  utimesSync(join(root, 'package-lock.json'), 0, 0)
})
afterEach(() => rmSync(directory, { recursive: true }))

function makeScript(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
}

/** Changes a script of this clone in the copy. */
function change(name: string, from: RegExp, to: string): void {
  const text = readFileSync(join(ROOT, name), 'utf8')
  expect(text).toMatch(from)
  writeFileSync(join(root, name), text.replace(from, to))
}

/** Makes a test runner of a script that has the number of this run in `$number`, and the file for its results in `$results`. */
function makeRunner(script: string): void {
  const runner = join(root, 'node_modules/.bin/vitest')
  const head = `#!/bin/bash
cd '${directory}' || exit
number=$(($(cat number 2>/dev/null) + 1))
echo "$number $DAVIT_TEST_SEED $*" >>runs
echo "$number" >number
for word; do case $word in --outputFile.json=*) results=\${word#*=} ;; esac; done
finish() { # STATUS-OF-TEST
  printf '{ "numPassedTests": 1, "numFailedTests": %s, "testResults": [{ "name": "${root}/test/a.test.ts", "status": "%s", "startTime": 0,
    "endTime": 2000, "assertionResults": [{ "status": "passed", "fullName": "works" }, { "status": "%s", "fullName": "may work" }] }] }' \\
    "$([ "$1" = failed ] && echo 1 || echo 0)" "$1" "$1" >"$results"
}
`
  writeFileSync(runner, `${head}${script}\n`, { mode: 0o755 })
}

function start(words: readonly string[]) {
  const { DAVIT_TEST_PREFIX: _prefix, DAVIT_TEST_GROUPS: _groups, ...environment } = process.env
  const child = spawn(join(root, 'scripts/test'), words, {
    env: {
      ...environment,
      PATH: `${join(directory, 'bin')}:${process.env['PATH']}`,
      TMPDIR: join(directory, 'tmp'),
      XDG_STATE_HOME: join(directory, 'states'),
      DAVIT_TEST_SEED: '10',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close').then(() => ({ status: child.exitCode, output }))
  return { child, ended }
}

const processesOf = (pid: number | undefined) =>
  readdirSync('/proc').filter((process) => {
    try {
      return readFileSync(`/proc/${process}/cmdline`, 'utf8').endsWith(`busy-loop\0${pid}\0`)
    } catch {
      return false
    }
  })

describe('scripts/test --repeat', { timeout: 600_000 }, () => {
  test('stops at the first failure, with its output and its seed', async () => {
    makeRunner('echo "output of run $number"; if [ "$number" = 3 ]; then finish failed; exit 1; fi; finish passed')
    const { status, output } = await start(['--repeat', '5', 'a.test']).ended
    expect(status).toBe(1)
    expect(readFileSync(join(directory, 'runs'), 'utf8').match(/^\d+ \d+(?= run .* a\.test$)/gm)).toEqual([
      '1 10',
      '2 11',
      '3 12',
    ])
    expect(output.match(/output of run .*/g)).toEqual(['output of run 3'])
    expect(output).toContain('FAILED: test/a.test.ts: may work\n')
    expect(output).toMatch(/\nOrder of test files: DAVIT_TEST_SEED=12\n\n\d+ passed, 1 failed\n$/)
  })

  test.each([
    [['--repeat', '0', 'a.test'], "--repeat needs a number of repetitions, not '0'"],
    [['--repeat'], "--repeat needs a number of repetitions, not ''"],
    [['--repeat', '3'], '--repeat needs the NAME of test files'],
    [['--under-load=many'], "--under-load needs a number of loops, not 'many'"],
    [['--some'], "unknown option '--some'"],
  ])('%j is wrong usage', async (words, message) => {
    expect(await start(words).ended).toEqual({ status: 64, output: `test: ${message}\n` })
  })
})

describe('scripts/test --under-load', { timeout: 600_000 }, () => {
  // The runner waits until the test lets it go on.
  const WAIT = 'mkfifo gate; echo "$$" >ready; read -r _ <gate; finish passed'
  const ready = () => until(() => expect(readFileSync(join(directory, 'ready'), 'utf8')).toMatch(/\n/))
  const goOn = () => writeFileSync(join(directory, 'gate'), '\n')
  const noLoops = (pid: number | undefined) => until(() => expect(processesOf(pid)).toEqual([]))

  test('runs beside as many busy loops, which end with it', async () => {
    makeRunner(WAIT)
    const { child, ended } = start(['--under-load', '2', 'a.test'])
    await ready()
    await until(() => expect(processesOf(child.pid)).toHaveLength(2))
    goOn()
    expect(await ended).toMatchObject({ status: 0, output: expect.stringMatching(/\n3 passed, 0 failed\n$/) as string })
    await noLoops(child.pid)
  })

  test.each(sampleOf(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 1))(
    'leaves nothing when %s interrupts it',
    async (signal) => {
      makeRunner(WAIT)
      const { child, ended } = start(['--under-load', '2', 'a.test'])
      await ready()
      child.kill(signal)
      expect((await ended).status).toBe(signal === 'SIGINT' ? 130 : 143)
      await noLoops(child.pid)
      expect(readdirSync(join(directory, 'tmp'))).toEqual([])
      expect(existsSync(`/proc/${readFileSync(join(directory, 'ready'), 'utf8').trim()}`)).toBe(false)
    },
  )

  test('leaves no busy loop when it is killed', async () => {
    makeRunner(WAIT)
    const { child, ended } = start(['--under-load', '2', 'a.test'])
    await ready()
    child.kill('SIGKILL')
    goOn()
    await ended
    await noLoops(child.pid)
  })
})

describe('the last lines of scripts/test', { timeout: 600_000 }, () => {
  test('say what was skipped, what it has cost, and how many passed', async () => {
    writeFileSync(join(root, 'test/a.test.ts'), "test.runIf(isSunday)('may work', () => {})")
    makeRunner('finish skipped')
    const { status, output } = await start(['--where', 'a.test']).ended
    expect(status).toBe(0)
    const last = output.slice(output.indexOf('\n== where')).replace(/\d+\.\d/g, 'N')
    expect(last).toMatch(/^ +N.*  selected tests$/m)
    expect(last).toContain('\n      1 unless isSunday (test/a.test.ts)\n')
    expect(last).toMatch(/\n== most expensive files\n +N s of processor time, +N s in all: test\/a\.test\.ts\n/)
    expect(last).toMatch(/\n +N s of processor time, +N s in all: selected tests\n/)
    expect(last).toContain('Memory at its peak: N GiB in use on this machine')
    expect(last).toContain('1 tests in 1 files, 0 failures, 1 skipped.')
    expect(last).toMatch(/\n\n3 passed, 0 failed\n$/)
  })

  test('compare whole runs with those before', async () => {
    makeRunner('finish passed')
    // The run before used less than nothing, so that this one need not keep a processor busy.
    const stages = ['lint', 'format'].map((name) => {
      return { name, passed: 1, failed: 0, wallSeconds: 1, processorSeconds: name === 'lint' ? -10 : 10 }
    })
    keepRun(join(directory, 'states/davit-tests'), {
      began: 0,
      kind: `${availableParallelism()} processors`,
      stages,
      files: [],
    })
    const { status, output } = await start([]).ended
    expect(status).toBe(0)
    expect(output).toMatch(/\nGREW: 'lint' used 0 s of processor time, and -10 s in the last runs\n/)
    expect(output.match(/GREW/g)).toHaveLength(1)
    for (const name of ['typecheck', 'lint', 'installation', 'unit tests', 'end-to-end tests', 'demonstration'])
      expect(output).toMatch(new RegExp(`in all: ${name}\n`))
    expect(keptRuns(join(directory, 'states/davit-tests'))).toHaveLength(2)
  })

  test('repeat the output of a step that failed', async () => {
    makeRunner('finish passed')
    makeScript(join(directory, 'lint'), 'echo wrong; false')
    makeScript(join(directory, 'typecheck'), 'echo right')
    makeScript(join(root, 'scripts/install'), 'exit 1')
    const { status, output } = await start([]).ended
    expect(status).toBe(1)
    expect(output).toContain("\n== lint\nwrong\nFAILED: 'lint' after")
    expect(output).not.toContain('right')
    expect(output).toMatch(/\nFAILED: 'lint' after \d+ s\n(.*\n)*\n\d+ passed, 2 failed\n$/)
  })
})
