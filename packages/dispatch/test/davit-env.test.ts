import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

import { noSmallDisk, smallDisk } from '../../files/test/small-disk.ts'

import { HIDE_PID, withHiddenProc } from '../../process/test/hidden-proc.ts'
import { isThorough } from '../../diagnostics/test/hostile.ts'
import { HANG, LOCK, TOOL, TOOLS } from './stand-ins.ts'

const script = fileURLToPath(new URL('../../../scripts/davit-env', import.meta.url))
const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
)
describe.each(shells)('davit-env in %s', (...shell) => {
  // Shells differ in less than this: one of them is enough, where time is short.
  const inDepth = isThorough || shell[0] === shells[0]?.[0]

  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'davit-env-test-'))
    mkdirSync(join(directory, 'bin'))
    mkdirSync(join(directory, 'tmp'))
    for (const name of TOOLS) {
      writeFileSync(join(directory, 'bin', `davit-${name}`), TOOL)
      chmodSync(join(directory, 'bin', `davit-${name}`), 0o755)
    }
    writeFileSync(join(directory, 'bin', 'lock.mjs'), LOCK)
    writeFileSync(join(directory, 'bin', 'hang.mjs'), HANG)
    writeFileSync(join(directory, 'bin', 'davit-env'), readFileSync(script))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  type Within = (argv: readonly string[]) => readonly string[]
  const asItIs: Within = (argv) => argv
  const start = (args: readonly string[], environment: Record<string, string> = {}, within = asItIs) => {
    const [program = '', ...options] = within([...shell, join(directory, 'bin', 'davit-env'), ...args])
    const child = spawn(program, options, {
      env: {
        PATH: '/usr/bin:/bin',
        TMPDIR: join(directory, 'tmp'),
        TRACE: join(directory, 'trace'),
        HANG: '',
        NODE: process.execPath,
        ...environment,
      },
      detached: true,
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
    const ended = once(child, 'close').then(([status]: (number | null)[]) => ({ status, stdout, stderr }))
    return { child, ended }
  }
  const run = (args: readonly string[], environment?: Record<string, string>, within?: Within) =>
    start(args, environment, within).ended
  const trace = (suffix = '') =>
    readFileSync(join(directory, `trace${suffix}`), 'utf8')
      .trimEnd()
      .split('\n')
  const models = ['-s', 's', '-i', 'i', '-d', 'd']
  const nothingLeft = () => expect(readdirSync(join(directory, 'tmp'))).toEqual([])

  test('names the run for all its steps, unless it has a name', async () => {
    await run(models)
    const names = new Set(trace('.run'))
    expect([...names]).toEqual([expect.stringMatching(/^davit-env\.\d{8}T\d{6}Z\.\d+$/)])
    await run(['--delete-generations', 'old'], { DAVIT_RUN: 'nightly.7' })
    expect(trace('.run').slice(-2)).toEqual([...names, 'nightly.7'])
  })

  test('hands on what activation is to do with services that changed, hang or cannot be reached', async () => {
    const care = ['--restart-changed', '--activity-timeout', '5', '--skip-unreachable']
    expect(await run([...models, ...care])).toMatchObject({ status: 0, stderr: '' })
    expect(trace()).toContain('activate <--restart-changed> <TEMPORARY/manifest.json>')
    for (const name of ['distribute', 'activate', 'set']) expect(trace('.care')).toContain(`${name} 5 1`)
  })

  test('sends nothing where the look ahead refuses it, and hands on what it is to know', async () => {
    const options = ['--undeploy', '-i', 'i', '--take-over']
    expect(await run(options, { FAIL_check: '1' })).toMatchObject({ status: 1, stdout: '', stderr: '' })
    expect(trace().slice(1)).toEqual([
      'manifest <--format> <json> <TEMPORARY/architecture.json>',
      'activate <--check> <--undeploy> <--take-over> <TEMPORARY/manifest.json>',
    ])
    await run([...options, '--dry-run'])
    expect(trace().at(-1)).toBe('activate <--dry-run> <--undeploy> <--take-over> <TEMPORARY/manifest.json>')
    nothingLeft()
  })

  test('only gives services up, on the targets of the models or of the last deployment', async () => {
    expect(await run(['--abandon', 'web', '--abandon=key@t'])).toMatchObject({ status: 0, stderr: '' })
    expect(trace()).toEqual(['activate <--abandon> <web> <--abandon> <key@t>'])
    await run(['--abandon', 'web', '--dry-run', '-q'])
    expect(trace().slice(1)).toEqual(['activate <--dry-run> <--abandon> <web>'])
    await run([...models, '--abandon', 'web'])
    const steps = trace().slice(2)
    expect(steps.map((step) => step.replace(/ .*/, ''))).toEqual(['normalize', 'manifest', 'activate'])
    expect(steps.at(-1)).toBe('activate <--abandon> <web> <TEMPORARY/manifest.json>')
    nothingLeft()
  })

  test.skipIf(noSmallDisk !== undefined).each([0, 1, 3])(
    'says so where there is room for %i files only',
    async (files) => {
      const disk = smallDisk(1024 * 1024)
      onTestFinished(() => disk.remove())
      disk.fillFiles(files)
      const { status, stderr } = await run(models, { TMPDIR: disk.directory })
      expect([status, stderr]).toEqual([
        73,
        expect.stringContaining(`cannot create files in '${disk.directory}' [cannot-create]\nhint: `),
      ])
      expect([existsSync(join(directory, 'trace')), readdirSync(disk.directory)]).toEqual([false, []])
    },
  )

  test('removes what runs of the same deployment that were killed have left', async () => {
    const place = (...owner: readonly (number | string)[]) =>
      join(directory, 'tmp', `davit-env.${owner.join(',')}.abcdef`)
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
    const started = readFileSync(`/proc/${process.pid}/stat`, 'latin1').split(' ')[21] ?? ''
    const dead = place(namespace, 'default', process.pid, 1)
    const others = [
      place(namespace, 'default', process.pid, started),
      place(namespace, 'other', process.pid, 1),
      place('0', 'default', process.pid, 1),
    ]
    for (const left of [dead, ...others]) mkdirSync(left)
    expect(await run(models)).toMatchObject({ status: 0, stderr: '' })
    expect([dead, ...others].map((left) => existsSync(left))).toEqual([false, true, true, true])
  })

  test.each(HIDE_PID)('leaves what runs of other users use, who are hidden (hidepid=%s)', async (hidePid) => {
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
    const place = (pid: number, started: string | number) =>
      join(directory, 'tmp', `davit-env.${namespace},default,${pid},${started}.abcdef`)
    const started = readFileSync(`/proc/${process.pid}/stat`, 'latin1').split(' ')[21] ?? ''
    const [living, unknown, dead] = [
      place(process.pid, started),
      place(process.pid, ''),
      place(spawnSync('true').pid, 1),
    ]
    for (const left of [living, unknown, dead]) mkdirSync(left)
    for (const open of [directory, join(directory, 'tmp')]) chmodSync(open, 0o777)
    expect(await run(models, {}, (argv) => withHiddenProc(hidePid, argv))).toMatchObject({ status: 0, stderr: '' })
    expect([living, unknown, dead].map((left) => existsSync(left))).toEqual([true, true, false])
  })

  test('runs the steps one by one, those that change something under the lock', async () => {
    expect(await run(models)).toEqual({ status: 0, stdout: '', stderr: '' })
    // The script that runs under the lock has many lines.
    expect(
      trace()
        .join('\n')
        .replace(/<sh> [^]*?\n(?=activate )/, '…\n')
        .split('\n'),
    ).toEqual([
      'normalize <-s> <s> <-i> <i> <-d> <d>',
      'manifest <--format> <json> <TEMPORARY/architecture.json>',
      'activate <--check> <TEMPORARY/manifest.json>',
      'distribute <TEMPORARY/manifest.json>',
      'lock <TEMPORARY/manifest.json> <--> …',
      'activate <TEMPORARY/manifest.json>',
      'set <TEMPORARY/manifest.json>',
      'unlock',
    ])
    nothingLeft()
  })

  test('hands values on as they are', async () => {
    const awkward = ` a "b" 'c' $(touch x) \\ *=?`
    await run([
      `--services=${awkward}`,
      '--infrastructure',
      awkward,
      '-d',
      awkward,
      `--extra-params={"a": "b=c"}`,
      '--modules=my modules',
      '--dry-run',
    ])
    expect(trace()).toEqual([
      `normalize <--modules> <my modules> <--services> <${awkward}> <--infrastructure> <${awkward}> <-d> <${awkward}> <--extra-params> <{"a": "b=c"}>`,
      'manifest <--format> <json> <--modules> <my modules> <TEMPORARY/architecture.json>',
      'activate <--dry-run> <TEMPORARY/manifest.json>',
    ])
    nothingLeft()
  })

  test.runIf(inDepth)('gives each tool what concerns it', async () => {
    const options = [
      '-p',
      'my-system',
      '-m',
      '7',
      '--interface=local',
      '--modules=my modules',
      '--no-lock',
      '--no-upgrade',
      '--no-rollback',
      '--use-substitutes',
    ]
    await run(['-D', 'model', '--no-target-profiles', '--no-coordinator-profile', ...options])
    expect(trace()).toEqual([
      'manifest <--format> <json> <--deployment> <model>',
      'activate <--check> <--no-lock> <--no-upgrade> <--no-rollback> <TEMPORARY/manifest.json>',
      'distribute <TEMPORARY/manifest.json>',
      'activate <--no-lock> <--no-upgrade> <--no-rollback> <TEMPORARY/manifest.json>',
      'set <--no-target-profiles> <--no-coordinator-profile> <--no-lock> <TEMPORARY/manifest.json>',
    ])
    expect(new Set(trace('.environment').map((line) => line.replace(/^\S+ /, '')))).toEqual(
      new Set(['my-system 7 local 1']),
    )
  })

  const steps = () => trace().filter((line) => /^[a-z-]+ <(?!sh>)/.test(line) && !line.startsWith('lock'))

  test.each([
    [
      ['--rollback', '-p', 'a-b'],
      ['generations <--begin-rollback>', 'generations <--print> <output of generations>'],
      'output> <of> <generations',
    ],
    [['--switch-to-generation=12', '-p', 'a-b'], ['generations <--print> <12>'], '12'],
  ])('%j deploys a generation with all steps, and returns to it', async (args, first, number) => {
    expect(await run(args)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(steps()).toEqual([
      ...first,
      'distribute <TEMPORARY/manifest.json>',
      'activate <TEMPORARY/manifest.json>',
      `set <--generation> <${number}> <TEMPORARY/manifest.json>`,
      'generations <--end-rollback>',
    ])
    // What fails over the lock is no end of it.
    expect(trace().slice(-2)).toEqual(['unlock', 'generations <--end-rollback>'])
    expect(new Set(trace('.environment').map((line) => line.split(' ')[1]))).toEqual(new Set(['a-b']))
    nothingLeft()
  })

  test.runIf(inDepth)('shows what a rollback would do', async () => {
    await run(['--rollback', '--dry-run'])
    expect(trace()[0]).toBe('generations <--previous>')
    expect(steps().at(-1)).toBe('activate <--dry-run> <TEMPORARY/manifest.json>')
  })

  test.runIf(inDepth)('a rollback that goes nowhere is not deployed', async () => {
    expect(await run(['--rollback'], { FAIL_generations: '1' })).toMatchObject({ status: 1 })
    expect(trace()).toEqual(['generations <--begin-rollback>'])
    nothingLeft()
  })

  test.runIf(inDepth).each([
    [['--list-generations', '-q'], 'generations <>'],
    [['--delete-generations', '1, 2'], 'generations <--delete> <1, 2>'],
    [['--delete-all-generations'], 'generations <--delete-all>'],
    [['--forget', 'n1'], 'generations <--forget> <n1>'],
  ])('%j is left to davit-generations, and its status told', async (args, call) => {
    expect(await run(args, { FAIL_generations: '5' })).toMatchObject({ status: 5, stdout: 'output of generations\n' })
    expect(trace()).toEqual([call])
    nothingLeft()
  })

  test.runIf(inDepth)('builds on the targets between normalize and manifest', async () => {
    const options = ['--build-on-targets', '--extra-params', '{"a":1}', '--store', 'nix', '--show-trace', '-j', '3']
    await run(['-A', 'a', ...options, '--dry-run'])
    expect(trace()).toEqual([
      'normalize <-A> <a> <--extra-params> <{"a":1}> <--store> <nix> <--show-trace>',
      'delegate-build <TEMPORARY/architecture.json>',
      'manifest <--format> <json> <-j> <3> <TEMPORARY/architecture.json>',
      'activate <--dry-run> <TEMPORARY/manifest.json>',
    ])
    nothingLeft()
  })

  test.runIf(inDepth).each(TOOLS.filter((name) => !['lock', 'generations'].includes(name)))(
    'ends with the status of %s when that fails',
    async (name) => {
      const failing = { [`FAIL_${name.replace('-', '_')}`]: '42' }
      expect(await run([...models, '--build-on-targets'], failing)).toMatchObject({ status: 42 })
      const steps = trace()
        .flatMap((line) => /^([a-z-]+) </.exec(line)?.[1] ?? [])
        .filter((step) => step !== 'lock')
      expect(steps.at(-1)).toBe(name)
      expect(trace().includes('unlock')).toBe(['activate', 'set'].includes(name))
      nothingLeft()
    },
  )

  test.runIf(inDepth).each([
    [['--nonsense'], "unknown option '--nonsense'"],
    [['-s'], "option '-s' needs a value"],
    [['--dry-run=yes', ...models], "option '--dry-run' takes no value"],
    [['-m', 'zero', ...models], "'zero' is not a valid number of targets"],
    [['-j', '0', ...models], "'0' is not a valid number of builds"],
    [['--activity-timeout', '1m', ...models], "'1m' is not a valid number of seconds"],
    [['-D', 'd', ...models], "option '--deployment' takes the place of all models"],
    [
      ['-D', 'd', '--build-on-targets'],
      "option '--build-on-targets' needs models: what '--deployment' names is built already",
    ],
    [['-A', 'a', '--store'], "option '--store' needs a value"],
    [['--rollback', '-A', 'a'], "option '--rollback' takes the place of all models"],
    [['-D', 'd', '--list-generations'], "option '--list-generations' takes the place of all models"],
    [['--rollback', '--build-on-targets'], "option '--rollback' takes the place of all models"],
    [['--switch-to-generation'], "option '--switch-to-generation' needs a value"],
    [['--switch-to-generation', ''], "option '--switch-to-generation' needs a value"],
    [['-p', '', '--undeploy', '-i', 'i'], "option '-p' needs a value"],
    [['--profile=', '--list-generations'], "option '--profile' needs a value"],
    [['-A', 'a', '-j', ''], "option '-j' needs a value"],
    [['--switch-to-generation=1x'], "'1x' is not a valid number of a generation"],
    [['--switch-to-generation=0'], "'0' is not a valid number of a generation"],
    [
      ['--rollback', '--switch-to-generation', '2'],
      "option '--switch-to-generation' and option '--rollback' exclude each other",
    ],
    [
      ['--delete-generations=old', '--dry-run'],
      "option '--dry-run' shows what a deployment would do, and not what '--delete-generations' would",
    ],
    [['-A', 'a', '--modules', 'x', '--modules', 'y'], "option '--modules' is given twice"],
  ])('refuses %j', async (args, message) => {
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, `davit-env: ${message} [usage]\nhint: davit-env --help shows the options\n`])
    nothingLeft()
  })

  test.each([
    [['--undepoly'], "unknown option '--undepoly'", "did you mean '--undeploy'?"],
    [['--switch'], "unknown option '--switch'", "did you mean '--switch-to-generation'?"],
    [['services.yaml'], "unexpected operand 'services.yaml'", 'models and manifests are named with options'],
    [['--dry-run'], 'no models', 'name them with -s, -i and -d'],
    [
      ['-p', 'my shop'],
      "'my shop' cannot name a deployment",
      "a name begins with a letter, a digit or '_', and goes on",
    ],
    [['-p', 'a'.repeat(201)], 'the name of the deployment is too long', 'a name has at most 200'],
    [['--log-format=xml'], "option '--log-format' cannot be 'xml'", 'it is one of text, json'],
  ])('refuses %j, and says what to do', async (args, message, hint) => {
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, expect.stringContaining(`davit-env: ${message} [usage]\nhint: ${hint}`)])
  })

  test('says that a place for temporary files does not exist', async () => {
    const { status, stderr } = await run(models, { TMPDIR: join(directory, 'none') })
    expect([status, stderr]).toEqual([73, expect.stringContaining(`there is no directory '${directory}/none'`)])
  })

  test.each(['--log-format json', '--log-format=json'])(
    'tells programs what is wrong as tools do (%s)',
    async (format) => {
      const { stderr } = await run(['--no"\\\n', ...format.split(' ')])
      expect(JSON.parse(stderr)).toEqual({
        kind: 'error',
        tool: 'davit-env',
        code: 'usage',
        message: `unknown option '--no"\\ '`,
        exitStatus: 64,
        hint: 'davit-env --help shows the options',
      })
    },
  )

  test('understands short options that are written together, and hands on how messages are wanted', async () => {
    await run(['-qvpshop', '-m7', '--debug', '--log-format=json', '-A', 'a', '--dry-run', '--repair'])
    expect(trace().at(-1)).toBe('activate <--dry-run> <--repair> <TEMPORARY/manifest.json>')
    expect(trace('.environment').at(-1)).toBe('activate shop 7')
    expect(new Set(trace('.messages').map((line) => line.replace(/^\S+ /, '')))).toEqual(new Set(['1 1 json 1']))
  })

  test('records nothing new where it only repairs', async () => {
    await run([...models, '--repair'])
    expect(steps().at(-1)).toBe('activate <--repair> <TEMPORARY/manifest.json>')
  })

  test.each<NodeJS.Signals>(['SIGQUIT', 'SIGPIPE', 'SIGALRM', 'SIGUSR1', 'SIGUSR2'])(
    'leaves nothing behind after %s, nor does the step that was under way',
    async (signal) => {
      const { child, ended } = start(models, { HANG: 'manifest' })
      await vi.waitFor(() => expect(existsSync(join(directory, 'trace.hanging'))).toBe(true), { timeout: 40_000 })
      child.kill(signal)
      expect(await ended).toMatchObject({ status: 143 })
      expect(trace().at(-1)).toBe('stopped')
      nothingLeft()
    },
  )

  test.each<[string, NodeJS.Signals, number]>([
    ['normalize', 'SIGTERM', 143],
    ['delegate-build', 'SIGINT', 130],
    ['distribute', 'SIGINT', 130],
    ['activate', 'SIGTERM', 143],
    ['activate', 'SIGINT', 130],
    ['set', 'SIGTERM', 143],
  ])('hands signals on to %s (%s) and waits until it has ended', async (name, signal, status) => {
    const { child, ended } = start([...models, '--build-on-targets'], { HANG: name })
    await vi.waitFor(() => expect(existsSync(join(directory, 'trace.hanging'))).toBe(true), { timeout: 40_000 })
    child.kill(signal)
    expect(await ended).toMatchObject({ status })
    const last = ['activate', 'set'].includes(name) ? ['unlock'] : []
    const stopped = signal === 'SIGINT' ? 'interrupted' : 'stopped'
    expect(trace().slice(-1 - last.length)).toEqual([stopped, ...last])
    nothingLeft()
  })

  test('tells how a step ended that had something to undo, and begins nothing after one that had not', async () => {
    for (const [stopped, expected] of [
      ['2', 2],
      ['0', 143],
    ] as const) {
      rmSync(join(directory, 'trace.hanging'), { force: true })
      const { child, ended } = start([...models, '--no-lock'], { HANG: 'activate', STOPPED: stopped })
      await vi.waitFor(() => expect(existsSync(join(directory, 'trace.hanging'))).toBe(true), { timeout: 40_000 })
      child.kill('SIGTERM')
      expect(await ended).toMatchObject({ status: expected })
      expect(trace().at(-1)).toBe('stopped')
    }
  })
})
