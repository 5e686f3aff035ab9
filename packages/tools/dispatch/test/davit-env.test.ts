import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

import { HIDE_PID, withHiddenProc } from '@davit/testing/hidden-proc'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { describe, expect, onTestFinished, test } from 'vitest'

import { davitEnvIn, MODELS, shells } from './davit-env-scene.ts'
import { TOOLS } from './stand-ins.ts'

describe.each(shells)('davit-env in %s', (...shell) => {
  const { inDepth, nothingLeft, path, run, trace } = davitEnvIn(shell)

  test('names the run for all its steps, unless it has a name', async () => {
    await run(MODELS)
    const names = new Set(trace('.run'))
    expect([...names]).toEqual([expect.stringMatching(/^davit-env\.\d{8}T\d{6}Z\.\d+$/)])
    await run(['--delete-generations', 'old'], { DAVIT_RUN: 'nightly.7' })
    expect(trace('.run').slice(-2)).toEqual([...names, 'nightly.7'])
  })

  test('hands on what activation is to do with services that changed, hang or cannot be reached', async () => {
    const care = ['--restart-changed', '--activity-timeout', '5', '--skip-unreachable']
    expect(await run([...MODELS, ...care])).toMatchObject({ status: 0, stderr: '' })
    expect(trace()).toContain('activate <--restart-changed> <TEMPORARY/manifest.json>')
    for (const name of ['distribute', 'activate', 'set']) expect(trace('.care')).toContain(`${name} 5 1`)
  })

  test('sends nothing if davit-activate --check refuses it, and passes options on to that', async () => {
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
    await run([...MODELS, '--abandon', 'web'])
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
      const { status, stderr } = await run(MODELS, { TMPDIR: disk.directory })
      expect([status, stderr]).toEqual([
        73,
        expect.stringContaining(`cannot create files in '${disk.directory}' [cannot-create]\nhint: `),
      ])
      expect([existsSync(path('trace')), readdirSync(disk.directory)]).toEqual([false, []])
    },
  )

  test('removes what runs of the same deployment that were killed have left', async () => {
    const place = (...owner: readonly (number | string)[]) => path('tmp', `davit-env.${owner.join(',')}.abcdef`)
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
    const started = readFileSync(`/proc/${process.pid}/stat`, 'latin1').split(' ')[21] ?? ''
    const dead = place(namespace, 'default', process.pid, 1)
    const others = [
      place(namespace, 'default', process.pid, started),
      place(namespace, 'other', process.pid, 1),
      place('0', 'default', process.pid, 1),
    ]
    for (const left of [dead, ...others]) mkdirSync(left)
    expect(await run(MODELS)).toMatchObject({ status: 0, stderr: '' })
    expect([dead, ...others].map((left) => existsSync(left))).toEqual([false, true, true, true])
  })

  test.each(HIDE_PID)('leaves what runs of other users use, who are hidden (hidepid=%s)', async (hidePid) => {
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
    const place = (pid: number, started: string | number) =>
      path('tmp', `davit-env.${namespace},default,${pid},${started}.abcdef`)
    const started = readFileSync(`/proc/${process.pid}/stat`, 'latin1').split(' ')[21] ?? ''
    const [living, unknown, dead] = [
      place(process.pid, started),
      place(process.pid, ''),
      place(spawnSync('true').pid, 1),
    ]
    for (const left of [living, unknown, dead]) mkdirSync(left)
    for (const open of [path(), path('tmp')]) chmodSync(open, 0o777)
    expect(await run(MODELS, {}, (argv) => withHiddenProc(hidePid, argv))).toMatchObject({ status: 0, stderr: '' })
    expect([living, unknown, dead].map((left) => existsSync(left))).toEqual([true, true, false])
  })

  test('runs the steps one by one, those that change something under the lock', async () => {
    expect(await run(MODELS)).toEqual({ status: 0, stdout: '', stderr: '' })
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
    // The rollback ends only after the lock was released without failure.
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
      expect(await run([...MODELS, '--build-on-targets'], failing)).toMatchObject({ status: 42 })
      const steps = trace()
        .flatMap((line) => /^([a-z-]+) </.exec(line)?.[1] ?? [])
        .filter((step) => step !== 'lock')
      expect(steps.at(-1)).toBe(name)
      expect(trace().includes('unlock')).toBe(['activate', 'set'].includes(name))
      nothingLeft()
    },
  )

  test('understands short options that are written together, and hands on how messages are wanted', async () => {
    await run(['-qvpshop', '-m7', '--debug', '--log-format=json', '-A', 'a', '--dry-run', '--repair'])
    expect(trace().at(-1)).toBe('activate <--dry-run> <--repair> <TEMPORARY/manifest.json>')
    expect(trace('.environment').at(-1)).toBe('activate shop 7')
    expect(new Set(trace('.messages').map((line) => line.replace(/^\S+ /, '')))).toEqual(new Set(['1 1 json 1']))
  })

  test('records nothing new if it only repairs', async () => {
    await run([...MODELS, '--repair'])
    expect(steps().at(-1)).toBe('activate <--repair> <TEMPORARY/manifest.json>')
  })
})
