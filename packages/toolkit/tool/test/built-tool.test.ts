import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readJournal } from '@davit/coordinator-state'
import { until } from '@davit/testing/wait'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bundleTools } from '../../../../scripts/bundle-programs.ts'
import { version } from '../src/version.ts'
import { probeTool } from './probe-tool.ts'
import { runHere } from './run-here.ts'

const directory = mkdtempSync(join(tmpdir(), 'davit-tool-'))
const probe = join(directory, 'out/bin/davit-probe.cjs')

beforeAll(async () => {
  const entry = fileURLToPath(new URL('probe-bin.ts', import.meta.url))
  await bundleTools([{ name: 'davit-probe', entry }], join(directory, 'out'))
})
afterAll(() => rmSync(directory, { recursive: true }))

function run(words: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(probe, words, { input, encoding: 'utf8', cwd: directory })
  return { status, stdout, stderr }
}

function shell(script: string) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', probe], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('a built tool tells its version', () => {
  expect(run(['--version'])).toEqual({ status: 0, stdout: `davit-probe ${version}\n`, stderr: '' })
})

test('a built tool that tells its version does without what is slow to load', () => {
  const preloaded = join(directory, 'out/preloaded.cjs')
  writeFileSync(preloaded, "process.on('exit', () => console.error(process.moduleLoadList.join('|')))")
  const { stderr } = spawnSync(process.execPath, ['--require', preloaded, probe, '--version'], {
    stdio: [openSync(preloaded, 'r'), 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  const slow = ['v8', 'perf_hooks', 'internal/fs/streams'].map((name) => `NativeModule ${name}`)
  expect(
    stderr
      .trim()
      .split('|')
      .filter((name) => slow.includes(name)),
  ).toEqual([])
})

test('a built tool prints its help to standard output', () => {
  const { status, stdout, stderr } = run(['--help'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(
    /^Do what a test asks for\.\n\nUsage: davit-probe \[OPTION\]\.\.\. DEED \[FILE\] \[-- COMMAND\.\.\.\]\n/,
  )
})

test.each([
  [
    'wrong usage',
    ['copy', '--ouput=x'],
    64,
    "davit-probe: unknown option '--ouput' [usage]\nhint: did you mean '--output'?\n",
  ],
  [
    'a missing file',
    ['copy', 'none'],
    66,
    "davit-probe: cannot read 'none': no such file [no-input]\nhint: check the name of the file\n",
  ],
  [
    'a directory',
    ['copy', '/'],
    66,
    "davit-probe: cannot read '/': it is a directory [no-input]\nhint: check the name of the file\n",
  ],
  ['a status of its own', ['fail'], 75, 'davit-probe: the probe failed [locked]\nhint: try again later\n'],
  ['a failure without one', ['sing'], 1, 'davit-probe: no such deed [usage]\n'],
])('%s ends with its status and a message', async (_, words, status, stderr) => {
  expect(await runHere(probeTool, words, { directory })).toMatchObject({ status, stderr })
})

test('a built tool ends with the status of a failure and its message', () => {
  const stderr = 'davit-probe: the probe failed [locked]\nhint: try again later\n'
  expect(run(['fail'])).toEqual({ status: 75, stdout: 'half', stderr })
})

test.each(['bug', 'stray-bug', 'stray-rejection', 'hang'])('%s ends with 70 and asks to be reported', (deed) => {
  const { status, stderr } = run([deed])
  expect({ status, stderr }).toEqual({
    status: 70,
    stderr: expect.stringMatching(/^davit-probe: internal error, please report it: .*\n\w*Error: /) as string,
  })
})

test('a built tool copies its input byte for byte', async () => {
  const text = '\ufeff<a>\r\n\u00e4\u{1f600}</a>\n'
  expect(run(['copy'], text).stdout).toBe(text)
  expect((await runHere(probeTool, ['copy', '-'], { input: text })).stdout).toBe(text)
})

test('a built tool refuses what is not UTF-8', () => {
  const { status, stderr } = spawnSync(probe, ['copy'], { input: Buffer.from([0x3c, 0xff]), encoding: 'utf8' })
  expect({ status, stderr }).toMatchObject({
    status: 65,
    stderr: expect.stringContaining("'<stdin>' is not UTF-8 text") as string,
  })
})

test('a terminal on standard input is a usage error', () => {
  const { status, stdout } = shell('script -qec "\'$1\' copy" /dev/null')
  expect({ status, stdout }).toMatchObject({
    status: 64,
    stdout: expect.stringContaining('standard input is a terminal') as string,
  })
})

test('--output writes the file when all went well, and only then', async () => {
  const here = (words: readonly string[]) => runHere(probeTool, words, { directory, input: 'text' })
  expect(run(['copy', '--output=result'], 'text')).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(directory, 'result'), 'utf8')).toBe('text')
  expect((await here(['fail', '--output=nothing'])).status).toBe(75)
  expect(existsSync(join(directory, 'nothing'))).toBe(false)
  expect((await here(['copy', '--output=none/result'])).status).toBe(73)
  expect(readdirSync(directory).toSorted()).toEqual(['out', 'result'])
})

test('a reader that goes away is not an error', () => {
  const { status, stdout, stderr } = shell('"$1" flood | head -n 1; exit "${PIPESTATUS[0]}"')
  expect({ status, stdout, stderr }).toEqual({ status: 141, stdout: '0\n', stderr: '' })
})

test('output that cannot be written is an error', () => {
  const { status, stderr } = shell('"$1" leave-open > /dev/full')
  expect({ status, stderr }).toMatchObject({
    status: 73,
    stderr: expect.stringMatching(
      /cannot write to standard output: no space left on the device .*\n.*\nhint: /,
    ) as string,
  })
})

test('what is left open does not keep the process, nor lose output to a slow reader', () => {
  const { status, stdout } = shell('"$1" leave-open | (sleep 0.3; tail -c 4); exit "${PIPESTATUS[0]}"')
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'end\n' })
})

test('--log-format json says everything in JSON', async () => {
  for (const words of [['fail'], ['--nonsense']]) {
    const { stderr } = await runHere(probeTool, [...words, '--log-format', 'json'])
    expect(JSON.parse(stderr)).toMatchObject({ kind: 'error', tool: 'davit-probe' })
  }
})

test.each([
  [
    'wait',
    'SIGINT',
    130,
    'warning: interrupted: finishing what is running; press Ctrl-C again to stop now\ndavit-probe: interrupted by SIGINT [interrupted]\nhint: nothing is left\n',
  ],
  [
    'wait',
    'SIGTERM',
    143,
    'warning: terminated: finishing what is running; send the signal again to stop now\ndavit-probe: terminated by SIGTERM [interrupted]\nhint: nothing is left\n',
  ],
  [
    'clean-up',
    'SIGINT',
    3,
    'warning: interrupted: finishing what is running; press Ctrl-C again to stop now\ncleaned up\n',
  ],
] as const)('%s ends on %s with %d', async (deed, signal, status, messages) => {
  const child = await startedProbe([deed])
  child.kill(signal)
  expect(await child.end()).toEqual({ status, messages })
})

test('a second signal ends what does not listen, and says how to go on', async () => {
  const child = await startedProbe(['stubborn'])
  child.kill('SIGINT')
  await child.said('warning: interrupted')
  // Signals that follow shortly after the first one count as the same.
  const again = setInterval(() => child.kill('SIGINT'), 50)
  const { status, messages } = await child.end()
  clearInterval(again)
  expect(status).toBe(130)
  expect(messages).toMatch(/^warning: stopped: .*\n {2}hint: all is left\n$/m)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a tool that only computes, whatever it computes',
  async (signal) => {
    const child = await startedProbe(['compute'])
    child.kill(signal)
    expect((await child.end()).status).toBe(128 + constants.signals[signal])
  },
)

test.each([
  ['change-and-compute', 'SIGINT'],
  ['change-and-compute', 'SIGTERM'],
  ['compute-in-the-end', 'SIGINT'],
] as const)('%s ends on a second %s, though it hears none', async (deed, signal) => {
  const child = await startedProbe([deed])
  child.kill(signal)
  const again = setInterval(() => child.kill(signal), 400)
  const { status } = await child.end()
  clearInterval(again)
  expect(status).toBe(128 + constants.signals[signal])
})

test('an interrupted tool does not wait for its input', async () => {
  const child = await startedProbe(['read'])
  child.kill('SIGTERM')
  expect((await child.end()).status).toBe(143)
})

test('signals go to a command in the foreground', async () => {
  const script = 'trap "echo trapped >&2; exit 5" TERM; echo up >&2; while :; do sleep 0.05; done'
  const child = await startedProbe(['run', '--', 'sh', '-c', script])
  await child.said('up\n')
  child.kill('SIGTERM')
  expect(await child.end()).toEqual({ status: 5, messages: 'up\ntrapped\naborted: false\n' })
})

test.each([
  ['its status', ['sh', '-c', 'exit 7'], 7],
  ['128 and its signal', ['sh', '-c', 'kill -KILL $$'], 137],
  ['69 when there is none', ['no-such-program'], 69],
])('a command in the foreground passes on %s', (_, command, status) => {
  expect(run(['run', '--', ...command]).status).toBe(status)
})

describe('the journal', () => {
  const state = join(directory, 'state')
  afterEach(() => rmSync(state, { recursive: true, force: true }))
  const environment = { PATH: process.env['PATH'], DAVIT_STATE_DIR: state }
  const entries = async () => {
    const { entries: found } = await readJournal(join(state, 'coordinator/default'))
    return found.map(({ entry }) => entry)
  }

  test.each([
    ['SIGKILL', ['note']],
    ['SIGINT', ['note', 'warning', 'end 130 interrupted by SIGINT']],
  ] as const)('says that a tool was ended by %s: all that was done before is there', async (signal, last) => {
    const child = await startedProbe(['act'], environment)
    child.kill(signal)
    await child.end()
    const found = await entries()
    const said = found.map((entry) => (entry.kind === 'end' ? `end ${entry.status} ${entry.message}` : entry.kind))
    expect(said).toEqual(['begin', 'started', ...last])
    expect(found[0]).toMatchObject({ tool: 'davit-probe', pid: child.pid })
  })

  test.each([{}, { DAVIT_RUN: 'nightly' }])(
    'gives what it runs the name of the run, but not what it reaches as a target: %o',
    async (given) => {
      const words = ['act', '--', 'sh', '-c', 'echo "$DAVIT_RUN"; exit 7']
      const { status, stdout } = spawnSync(probe, words, { env: { ...environment, ...given }, encoding: 'utf8' })
      expect(status).toBe(7)
      expect(stdout).toMatch(given.DAVIT_RUN === undefined ? /^davit-probe\..*\n$/ : /^nightly\n$/)
      expect(await entries()).toMatchObject([
        { kind: 'begin', run: stdout.trim() },
        { kind: 'started', step: 'act with undefined' },
        { kind: 'note' },
        { kind: 'end', status: 7 },
      ])
    },
  )

  test('that cannot be written keeps a tool from what it is to do', () => {
    writeFileSync(state, '')
    const { status, stderr } = spawnSync(probe, ['act'], { env: environment, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 73,
      stderr: expect.stringMatching(
        /^davit-probe: cannot write the journal '.*'.* \[cannot-write\]\n(.*\n)*hint: nothing was changed/,
      ) as string,
    })
  })
})

describe('the trace', () => {
  const file = join(directory, 'trace.json')
  afterEach(() => rmSync(file, { force: true }))
  const environment = { PATH: process.env['PATH'], DAVIT_TRACE: file }
  const begun = () =>
    (
      JSON.parse(`${readFileSync(file, 'utf8').replace(/,\n$/, '')}]`) as {
        readonly ph: string
        readonly name: string
      }[]
    )
      .filter(({ ph }) => ph === 'B')
      .map(({ name }) => name)

  test('of a tool that was killed can be read', async () => {
    const child = await startedProbe(['wait'], environment)
    child.kill('SIGKILL')
    await child.end()
    expect(begun()).toEqual(['davit-probe', 'start'])
  })

  test('is shared by tools that begin together', () => {
    const script = 'for n in 1 2 3 4 5 6; do "$1" copy /dev/null & done; wait'
    expect(spawnSync('sh', ['-c', script, 'sh', probe], { env: environment, encoding: 'utf8' }).stderr).toBe('')
    expect(begun().toSorted()).toEqual(
      ['davit-probe', 'read input', 'start', 'write'].flatMap((name) => Array.from({ length: 6 }, () => name)),
    )
  })

  test('is that of the commands that a tool runs, too', () => {
    const { stdout } = spawnSync(probe, ['run', '--', 'printenv', 'DAVIT_TRACE'], {
      env: environment,
      encoding: 'utf8',
    })
    expect(stdout).toBe(`${file}\n`)
  })
})

/** Starts the probe, whose messages on standard error arrive in arbitrary pieces. */
async function startedProbe(words: readonly string[], environment?: NodeJS.ProcessEnv) {
  const child = spawn(probe, words, { env: environment })
  let messages = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (messages += text))
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const said = (text: string) => until(() => expect(messages).toContain(text))
  await said('ready\n')
  return {
    pid: child.pid,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    said,
    /** Exit status, and what it has printed since it was ready. */
    async end(): Promise<{ readonly status: number | null; readonly messages: string }> {
      const [code, signal] = await closed
      const status = signal === null ? code : 128 + constants.signals[signal]
      return { status, messages: messages.replace(/^ready\n/, '') }
    },
  }
}

test('writing a file leaves it alone until then', async () => {
  writeFileSync(join(directory, 'kept'), 'old')
  expect((await runHere(probeTool, ['fail', '--output=kept'], { directory })).status).toBe(75)
  expect(readFileSync(join(directory, 'kept'), 'utf8')).toBe('old')
})
