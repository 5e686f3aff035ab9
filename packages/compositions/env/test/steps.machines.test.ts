import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

import { NOBODY } from '@davit/testing/nobody'
import { HIDE_PID, withHiddenProc } from '@davit/testing/hidden-proc'
import { noSmallDisk, smallDisk } from '@davit/testing/small-disk'
import { sampleOf } from '@davit/testing/effort'
import { describe, expect, onTestFinished, test } from 'vitest'

import { davitEnv, MODELS, TOOLS } from './scene.ts'

/** What a step prints that fails. */
const failedAs = (step: string) => `davit-${step}: failed as wanted [failed]\n`

describe('davit-env', () => {
  const { nothingLeft, path, run, trace } = davitEnv()
  const namesOfSteps = () => trace().map((line) => line.replace(/[ :].*/, ''))

  test('runs the steps one by one, those that change something under the lock', async () => {
    expect(await run(MODELS)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(trace()).toEqual([
      'normalize services=s infrastructure=i distribution=d',
      'manifest: output of normalize',
      'activate check: output of manifest',
      'distribute listAltered: output of manifest',
      'lock: output of manifest',
      'activate: output of manifest',
      'set: output of manifest',
      'unlock',
    ])
    nothingLeft()
  })

  test('deletes what was left behind, and old snapshots, when everything is recorded', async () => {
    expect(await run([...MODELS, '--delete-state', '--keep', '3'])).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(trace().slice(4)).toEqual([
      'lock: output of manifest',
      'generations current',
      'activate: output of manifest',
      'set: output of manifest',
      'delete-state: output of manifest',
      'clean-snapshots keep=3',
      'unlock',
    ])
    nothingLeft()
    await run([...MODELS, '--delete-state', '--depth-first'], { FAIL: 'set' })
    expect(namesOfSteps().at(-2)).toBe('set')
    nothingLeft()
  })

  test('shows what would be deleted after the plan', async () => {
    const { stdout } = await run([...MODELS, '--delete-state', '--dry-run'])
    expect(trace().slice(2)).toEqual([
      'activate show dryRun: output of manifest',
      'generations current',
      'delete-state dryRun onceDeployed: output of manifest',
    ])
    expect(stdout).toBe('output of activate\noutput of delete-state\n')
    nothingLeft()
  })

  test('stops where davit-activate --check finds nothing to change', async () => {
    expect(await run(MODELS, { STATE: 'unchanged' })).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(namesOfSteps()).toEqual(['normalize', 'manifest', 'activate'])
    await run([...MODELS, '--repair'])
    expect(namesOfSteps().slice(3)).toEqual([
      'normalize',
      'manifest',
      'activate',
      'distribute',
      'lock',
      'activate',
      'unlock',
    ])
    expect(trace().slice(-2)).toEqual(['activate repair: output of manifest', 'unlock'])
  })

  test('writes the steps into the journal under one name, that of DAVIT_RUN if it is set', async () => {
    const begun = () =>
      readFileSync(path('state/coordinator/default/journal/1'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly kind: string; readonly tool: string; readonly run: string })
        .filter(({ kind }) => kind === 'begin')
    await run(MODELS)
    expect(begun().map(({ tool }) => tool)).toEqual(
      namesOfSteps()
        .filter((name) => name !== 'unlock')
        .map((name) => `davit-${name}`),
    )
    expect([...new Set(begun().map((step) => step.run))]).toEqual([
      expect.stringMatching(/^davit-env\.\d{8}T\d{6}Z\.\d+$/),
    ])
    await run(['--delete-generations', 'old'], { DAVIT_RUN: 'nightly.7' })
    expect(begun().at(-1)).toMatchObject({ tool: 'davit-generations', run: 'nightly.7' })
  })

  test('hands on what the generation, or the record of the run, is made from', async () => {
    await run(MODELS, { DAVIT_ORIGIN: path('mine') })
    const known = { davit: expect.any(String) as string, order: { tool: 'davit-env' }, models: [{ file: 'normalize' }] }
    const handedOn = () => trace('.origin').map((line) => JSON.parse(line.replace(/^\S+ /, '')) as object)
    expect(handedOn()).toMatchObject([known, { ...known, transition: { manifest: 'activate' } }])
    nothingLeft()
    const before = trace('.origin').length
    for (const options of [['--rollback'], [...MODELS, '--no-coordinator-profile'], [...MODELS, '--repair']]) {
      await run(options)
    }
    expect(
      trace('.origin')
        .slice(before)
        .map((line) => line.replace(/:.*/, '')),
    ).toEqual(['activate', 'set', 'activate', 'set', 'activate'])
    expect(existsSync(path('mine'))).toBe(false)
  })

  test('hands on what activation is to do with services that changed, hang or cannot be reached', async () => {
    const care = ['--restart-changed', '--activity-timeout', '5', '--skip-unreachable']
    expect(await run([...MODELS, ...care])).toMatchObject({ status: 0, stderr: '' })
    expect(trace().slice(3)).toEqual([
      'distribute skipUnreachable listAltered: output of manifest',
      'lock skipUnreachable activityTimeout=5: output of manifest',
      'activate skipUnreachable restartChanged activityTimeout=5: output of manifest',
      'set skipUnreachable: output of manifest',
      'unlock',
    ])
  })

  test('sends nothing if davit-activate --check refuses it, and passes options on to that', async () => {
    const options = ['--undeploy', '-i', 'i', '--take-over']
    expect(await run(options, { FAIL: 'check' })).toMatchObject({
      status: 42,
      stdout: '',
      stderr: failedAs('activate'),
    })
    expect(trace().slice(1)).toEqual([
      'manifest: output of normalize',
      'activate check takeOver undeploy: output of manifest',
    ])
    const { stdout } = await run([...options, '--dry-run'])
    expect(trace().at(-1)).toBe('activate show takeOver undeploy dryRun: output of manifest')
    expect(stdout).toBe('output of activate\n')
    nothingLeft()
  })

  test('only gives services up, on the targets of the models or of the last deployment', async () => {
    expect(await run(['--abandon', 'web', '--abandon=key@t'])).toMatchObject({ status: 0, stderr: '' })
    expect(trace()).toEqual(['activate abandon=web,key@t'])
    await run(['--abandon', 'web', '--dry-run', '-q'])
    expect(trace().slice(1)).toEqual(['activate abandon=web dryRun'])
    await run([...MODELS, '--abandon', 'web'])
    expect(namesOfSteps().slice(2)).toEqual(['normalize', 'manifest', 'activate'])
    expect(trace().at(-1)).toBe('activate abandon=web: output of manifest')
    nothingLeft()
  })

  test('hands values on as they are', async () => {
    const awkward = ` a "b" 'c' $(touch x) \\ *=?`
    const models = [`--services=${awkward}`, '--infrastructure', awkward, '--distribution=-d']
    await run([...models, `--extra-params={"a": "b=c"}`, '--modules=my modules', '--modules', 'x', '--dry-run'])
    expect(trace().slice(0, 2)).toEqual([
      `normalize services=${awkward} infrastructure=${awkward} distribution=-d extraParams={"a": "b=c"} modules=my modules,x`,
      'manifest modules=my modules,x: output of normalize',
    ])
    nothingLeft()
  })

  test('gives each tool what concerns it', async () => {
    const forAll = ['-p', 'my-system', '-m', '7', '--interface=local', '--use-substitutes']
    const forSome = ['--no-lock', '--no-upgrade', '--no-rollback', '--no-target-profiles', '--no-coordinator-profile']
    await run(['-D', 'model', '--modules=mine', ...forAll, ...forSome])
    const activation = 'profile=my-system lock=false upgrade=false rollback=false'
    const profiles = 'targetProfiles=false coordinatorProfile=false'
    expect(trace()).toEqual([
      'manifest deployment=model modules=mine',
      `activate check ${activation} ${profiles}: output of manifest`,
      'distribute profile=my-system maxConcurrentTransfers=7 useSubstitutes: output of manifest',
      `activate ${activation} ${profiles}: output of manifest`,
      'set profile=my-system lock=false coordinatorProfile=false targetProfiles=false: output of manifest',
    ])
    expect(trace('.interface')).toEqual(['manifest local'])
  })

  test('uses variables where options are not given, those of the original after its own', async () => {
    const variables = { DISNIX_PROFILE: 'theirs', DAVIT_CLIENT_INTERFACE: 'ours', DISNIX_CLIENT_INTERFACE: 'theirs' }
    await run(['-D', 'model', '-m', '2'], { ...variables, DAVIT_MAX_CONCURRENT_TRANSFERS: '9' })
    expect(trace('.interface')).toEqual(['manifest ours'])
    expect(trace()).toContain('distribute maxConcurrentTransfers=2: output of manifest')
    expect(existsSync(path('state/coordinator/theirs/journal'))).toBe(true)
  })

  test.each([
    [
      ['--rollback', '-p', 'a-b'],
      ['generations beginRollback', 'generations print=7'],
    ],
    [['--switch-to-generation=7', '-p', 'a-b'], ['generations print=7']],
  ])('%j deploys a generation with all steps, and returns to it', async (args, first) => {
    expect(await run(args)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(trace()).toEqual([
      ...first,
      'distribute profile=a-b: output of generations',
      'lock profile=a-b: output of generations',
      'activate profile=a-b takeOver: output of generations',
      'set profile=a-b generation=7: output of generations',
      // The rollback ends only after the lock was released without failure.
      'unlock',
      'generations endRollback',
    ])
    nothingLeft()
  })

  test('shows what a rollback would do', async () => {
    await run(['--rollback', '--dry-run'])
    expect(trace()[0]).toBe('generations previous')
    expect(trace().at(-1)).toBe('activate show takeOver dryRun: output of generations')
  })

  test('a rollback that goes nowhere is not deployed', async () => {
    expect(await run(['--rollback'], { FAIL: 'generations' })).toMatchObject({ status: 42 })
    expect(trace()).toEqual(['generations beginRollback'])
    nothingLeft()
  })

  test.each([
    [['--list-generations', '-q'], 'generations'],
    [['--delete-generations', '1, 2'], 'generations delete=1, 2'],
    [['--delete-all-generations'], 'generations deleteAll'],
    [['--forget', 'n1'], 'generations forget=n1'],
  ])('%j is left to davit-generations, and its status told', async (args, call) => {
    expect(await run(args)).toMatchObject({ status: 0, stdout: '7\n' })
    expect(await run(args, { FAIL: 'generations' })).toMatchObject({ status: 42, stdout: '' })
    expect(trace()).toEqual([call, call])
    nothingLeft()
  })

  test('builds on the targets between normalize and manifest', async () => {
    const options = ['--build-on-targets', '--extra-params', '{"a":1}', '--store', 'nix', '--show-trace', '-j', '3']
    await run(['-A', 'a', ...options, '--dry-run'])
    expect(trace()).toEqual([
      'normalize architecture=a extraParams={"a":1} store=nix showTrace',
      'delegate-build: output of normalize',
      'manifest maxJobs=3: output of normalize',
      'activate show dryRun: output of manifest',
    ])
    nothingLeft()
  })

  test.each(
    sampleOf(
      TOOLS.filter((name) => name !== 'generations'),
      3,
    ),
  )('ends with the status of %s when that fails', async (name) => {
    expect(await run([...MODELS, '--build-on-targets'], { FAIL: name })).toEqual({
      status: 42,
      stdout: '',
      stderr: failedAs(name),
    })
    const isUnderLock = ['activate', 'set'].includes(name)
    expect(namesOfSteps().slice(isUnderLock ? -2 : -1)).toEqual([name, ...(isUnderLock ? ['unlock'] : [])])
    nothingLeft()
  })

  test('understands short options that are written together, and prints messages of steps as they are wanted', async () => {
    const words = ['-qvpshop', '-m7', '--debug', '--log-format=json', '-A', 'a', '--repair']
    const { stderr } = await run(words, { FAIL: 'set' })
    expect(stderr).toBe('')
    expect(trace()).toContain('activate profile=shop repair: output of manifest')
    const failed = await run([...words, '--dry-run'], { FAIL: 'show' })
    expect(JSON.parse(failed.stderr)).toMatchObject({
      tool: 'davit-activate',
      code: 'failed',
    })
    expect(trace().at(-1)).toBe('activate show profile=shop repair dryRun: output of manifest')
  })

  test('means what the documents say, unless it only looks', async () => {
    await run(MODELS)
    expect(new Set(trace('.trust'))).toEqual(new Set(['activate true']))
    await run([...MODELS, '--dry-run'])
    expect(trace('.trust').at(-1)).toBe('activate false')
    await run([...MODELS, '--dry-run', '--trust-programs'])
    expect(trace('.trust').at(-1)).toBe('activate true')
  })
})

describe('the directory of davit-normalize', () => {
  const { nothingLeft, path, run, start, hanging, trace } = davitEnv()

  test('is its own, and other users may pass through it', async () => {
    const { child, ended } = start(MODELS, { HANG: 'normalize' })
    await hanging()
    const [name = ''] = readdirSync(path('tmp'))
    expect(trace('.tmp')).toEqual([`normalize ${path('tmp', name)}`])
    expect(statSync(path('tmp', name)).mode & 0o777).toBe(0o711)
    child.kill('SIGTERM')
    await ended
    nothingLeft()
  })

  test('is removed even where a second signal ends the run at once', async () => {
    const { child, ended } = start(MODELS, { HANG: 'normalize', STUBBORN: '1' })
    await hanging()
    child.kill('SIGINT')
    await hanging('.stopping')
    const timer = setInterval(() => child.kill('SIGINT'), 50)
    const { status, stderr } = await ended
    clearInterval(timer)
    expect([status, stderr]).toEqual([130, expect.stringContaining('stopped: what had begun was neither finished')])
    nothingLeft()
  })

  test('is one that exists', async () => {
    const { status, stderr } = await run(MODELS, { TMPDIR: path('none') })
    expect([status, stderr]).toEqual([
      73,
      `davit-env: there is no directory '${path('none')}' [cannot-create]\nhint: create it, or set TMPDIR to another directory\n`,
    ])
  })

  test.skipIf(noSmallDisk !== undefined)('has room', async () => {
    const disk = smallDisk(1024 * 1024)
    onTestFinished(() => disk.remove())
    disk.fillFiles(0)
    const { status, stderr } = await run(MODELS, { TMPDIR: disk.directory })
    expect([status, stderr]).toEqual([73, expect.stringContaining(`cannot create files in '${disk.directory}': `)])
    expect([existsSync(path('trace')), readdirSync(disk.directory)]).toEqual([false, []])
  })

  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
  const started = readFileSync(`/proc/${process.pid}/stat`, 'latin1').split(' ')[21] ?? ''

  test('is swept by the next run of the same deployment if the run was killed', async () => {
    const place = (...owner: readonly (number | string)[]) => path('tmp', `davit-env.${owner.join(',')}.abcdef`)
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

  test.each(HIDE_PID)('is left to runs of other users, who are hidden (hidepid=%s)', async (hidePid) => {
    const place = (pid: number, start: string | number) =>
      path('tmp', `davit-env.${namespace},default,${pid},${start}.abcdef`)
    const [living, unknown, dead] = [
      place(process.pid, started),
      place(process.pid, ''),
      place(spawnSync('true').pid, 1),
    ]
    for (const left of [living, unknown, dead]) {
      mkdirSync(left)
      chownSync(left, NOBODY.uid, NOBODY.gid)
    }
    for (const open of [path(), path('tmp')]) chmodSync(open, 0o1777)
    expect(await run(MODELS, {}, (argv) => withHiddenProc(hidePid, argv))).toMatchObject({ status: 0, stderr: '' })
    expect([living, unknown, dead].map((left) => existsSync(left))).toEqual([true, true, false])
  })
})
