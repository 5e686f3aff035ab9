import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import type { ServiceKey } from '@davit/documents'
import { isAlive } from '@davit/testing/processes'
import { installedShells } from '@davit/testing/shells'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'

import {
  acquireLock,
  type ActivityRequest,
  beginTrial,
  confirmTrial,
  extendTrial,
  forgetTrial,
  observeMachine,
  performActivity,
  revertTrial,
  type StepBack,
  type Trial,
  trialState,
} from '../src/target.ts'
import { closeScenes, PATIENCE, Scene } from './scene.ts'

afterAll(closeScenes)

/** A module that notes what it is called for, and fails for the services in `$D/broken`. */
const NOTING = `echo "$1 $DAVIT_KEY $port\${password-}" >>"$D/calls"
grep -qs "^$1 $DAVIT_KEY$" "$D/broken" && exit 7
[ "$1 $DAVIT_KEY" != "activate slow" ] || { touch "$D/begun"; hold; }
exit 0`

describe.concurrent.each(installedShells())('a trial on a machine with $name', (shell) => {
  const open = async (tools?: string) => {
    const scene = await Scene.open(tools === undefined ? shell : { ...shell, path: `${tools}:${shell.path}` })
    scene.module(NOTING)
    const answer = await acquireLock(scene.machine, placeIn(scene), { token: 'token', owner: 'me', leaseSeconds: 60 })
    expect(answer.kind).toBe('acquired')
    return { scene, trial: trialIn(scene), machine: await scene.machineFor('trial') }
  }
  const placeIn = ({ mapping: { target }, profile }: Scene) => ({ target, profile })
  const trialIn = ({ profile }: Scene): Trial => ({ target: 't1', profile, id: 'trial-1' })
  const requestOf = (scene: Scene, activity: 'activate' | 'deactivate', key: string, port = '80'): ActivityRequest => {
    const { definition, ...request } = scene.request(activity)
    const mapping = { ...scene.mapping, service: key as ServiceKey }
    return {
      ...request,
      token: 'token',
      mapping,
      definition: { ...definition!, properties: new Map([['port', port]]) },
    }
  }
  const perform = async (scene: Scene, ...what: ['activate' | 'deactivate', string, string?]) =>
    performActivity(scene.machine, requestOf(scene, ...what))
  const stepsOf = (scene: Scene, ...words: readonly string[]): readonly StepBack[] =>
    words.map((word) => {
      const [step, key = ''] = word.split(' ')
      const mapping = { ...scene.mapping, service: key as ServiceKey }
      return { step: step as StepBack['step'], mapping, definition: undefined }
    })
  const terms = (steps: readonly StepBack[], seconds = 1000) => ({ token: 'token', seconds, limitSeconds: 600, steps })
  const directory = (scene: Scene) => scene.path('state/targets/t1/trials/default')
  const watcherOf = (scene: Scene) => Number(readlinkSync(join(directory(scene), 'watcher')).split(':')[0])
  const active = async (scene: Scene) =>
    (await observeMachine(scene.machine, scene.profile)).records
      .map(({ mapping, state, definition }) => `${mapping.service} ${state} ${definition.properties.get('port')}`)
      .toSorted()
  const takeCalls = (scene: Scene) => {
    const calls = scene.has('calls') ? scene.read('calls').trimEnd().split('\n') : []
    scene.write('calls')
    return calls.filter((call) => call !== '')
  }
  const hasEnded = ({ scene, trial, machine }: Awaited<ReturnType<typeof open>>) =>
    vi.waitFor(async () => {
      expect(existsSync(directory(scene))).toBe(false)
      return expect((await trialState(machine, trial)).kind).toBe('ended')
    }, PATIENCE)

  test('that is confirmed changes nothing, and leaves nothing behind', async () => {
    const { scene, trial, machine } = await open()
    await perform(scene, 'activate', 'old')
    const unlocked = beginTrial(machine, trial, { ...terms([]), token: 'other' })
    await expect(unlocked).rejects.toMatchObject({ code: 'lock-lost' })
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new', 'stop old', 'start old')))
    const watcher = watcherOf(scene)
    expect(isAlive(watcher)).toBe(true)
    expect(statSync(directory(scene)).mode & 0o777).toBe(0o700)
    await perform(scene, 'activate', 'new')
    expect(await trialState(machine, trial)).toEqual({ kind: 'armed' })
    const other = await scene.machineFor('confirm')
    expect(await confirmTrial(other, trial)).toBe(true)
    expect(await trialState(other, trial)).toEqual({ kind: 'none' })
    // The answer was lost.
    expect(await confirmTrial(other, trial)).toBe(true)
    expect(isAlive(watcher)).toBe(false)
    expect(existsSync(scene.path('state/targets/t1/trials'))).toBe(false)
    expect(await active(scene)).toEqual(['new active 80', 'old active 80'])
  })

  test('that is begun again, since the answer was lost, has one watcher', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    const first = watcherOf(scene)
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    await vi.waitFor(() => expect(isAlive(first)).toBe(false), PATIENCE)
    expect(isAlive(watcherOf(scene))).toBe(true)
    await perform(scene, 'activate', 'new')
    await revertTrial(machine, trial)
    await hasEnded(opened)
    expect(takeCalls(scene)).toEqual(['activate new 80', 'deactivate new 80'])
  })

  test('has a watcher again after that one was killed: with a sign of life, for whoever looks, and to go back', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    await perform(scene, 'activate', 'new')
    const kill = async () => {
      const watcher = watcherOf(scene)
      process.kill(-watcher, 'SIGKILL')
      await vi.waitFor(() => expect(isAlive(watcher)).toBe(false), PATIENCE)
    }
    await kill()
    await extendTrial(machine, trial, 9000)
    await vi.waitFor(() => expect(isAlive(watcherOf(scene))).toBe(true), PATIENCE)
    expect(await trialState(machine, trial)).toEqual({ kind: 'armed' })
    await kill()
    expect((await observeMachine(scene.machine, scene.profile)).trials).toEqual(['t1'])
    await vi.waitFor(() => expect(isAlive(watcherOf(scene))).toBe(true), PATIENCE)
    await kill()
    await revertTrial(machine, trial)
    await hasEnded(opened)
    expect(await active(scene)).toEqual([])
  })

  test('is left alone by a watcher that is not its own', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    await perform(scene, 'activate', 'new')
    const watcher = watcherOf(scene)
    rmSync(join(directory(scene), 'watcher'))
    symlinkSync(machine.facts.helper, join(directory(scene), 'watcher'))
    await extendTrial(machine, trial, 0)
    await vi.waitFor(() => expect(isAlive(watcher)).toBe(false), PATIENCE)
    rmSync(join(directory(scene), 'watcher'))
    expect(await trialState(machine, trial)).toEqual({ kind: 'back' })
    await observeMachine(scene.machine, scene.profile)
    await hasEnded(opened)
    expect(takeCalls(scene)).toEqual(['activate new 80', 'deactivate new 80'])
  })

  // The shell of busybox does not call another `setsid`.
  test.skipIf(shell.name === 'busybox')(
    'is refused where its watcher cannot be started, and leaves nothing behind',
    async () => {
      const tools = mkdtempSync(join(tmpdir(), 'davit-setsid-'))
      onTestFinished(() => removeTree(tools))
      writeFileSync(join(tools, 'setsid'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
      const { scene, trial, machine } = await open(tools)
      await expect(beginTrial(machine, trial, terms([]))).rejects.toMatchObject({
        message: expect.stringContaining('cannot start a process'),
      })
      expect(readdirSync(scene.path('state/targets/t1/trials'))).toEqual([])
    },
  )

  test('that is not confirmed goes back in its order to exactly what was active, and leaves alone what did not change', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    for (const key of ['same', 'changed', 'removed', 'kept']) await perform(scene, 'activate', key)
    const words = [
      'stop new',
      'stop changed',
      'stop removed',
      'stop same',
      'start same',
      'start removed',
      'start changed',
      'start unknown',
    ]
    await beginTrial(machine, trial, terms(stepsOf(scene, ...words)))
    await perform(scene, 'deactivate', 'changed')
    await perform(scene, 'deactivate', 'removed')
    await perform(scene, 'activate', 'changed', '81')
    await perform(scene, 'activate', 'new')
    takeCalls(scene)
    await revertTrial(machine, trial)
    await hasEnded(opened)
    expect(await trialState(machine, trial)).toEqual({ kind: 'ended', failed: [] })
    expect(takeCalls(scene)).toEqual([
      'deactivate new 80',
      'deactivate changed 81',
      'activate removed 80',
      'activate changed 80',
    ])
    expect(await active(scene)).toEqual(['changed', 'kept', 'removed', 'same'].map((key) => `${key} active 80`))
    // The run that did not know yet begins nothing more.
    expect(await perform(scene, 'activate', 'late')).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('not confirmed in time'),
    })
    await forgetTrial(machine, trial)
    expect(await perform(scene, 'activate', 'late')).toEqual({ kind: 'succeeded' })
  })

  test('goes back by itself when its time is over, and not before a sign of life has begun it anew', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    const deadline = () =>
      Number(/^[\w-]+ (\d+)\n$/.exec(readFileSync(join(directory(scene), 'deadline'), 'utf8'))?.[1])
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    const first = deadline()
    await extendTrial(machine, trial, 9000)
    expect(deadline()).toBeGreaterThanOrEqual(first + 8000)
    await perform(scene, 'activate', 'new')
    await extendTrial(machine, trial, 0)
    await hasEnded(opened)
    expect(await active(scene)).toEqual([])
  })

  test('refuses confirmation, signs of life and activities of the run once it is over', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    scene.write('broken')
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop slow')))
    const slow = perform(scene, 'activate', 'slow')
    await vi.waitFor(() => expect(scene.has('begun')).toBe(true), PATIENCE)
    await revertTrial(machine, trial)
    expect(await trialState(machine, trial)).toEqual({ kind: 'back' })
    expect(await confirmTrial(await scene.machineFor('confirm'), trial)).toBe(false)
    await expect(extendTrial(machine, trial, 9)).rejects.toMatchObject({ code: 'going-back' })
    expect(await perform(scene, 'activate', 'new')).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('not confirmed in time'),
    })
    expect((await observeMachine(scene.machine, scene.profile)).trials).toEqual(['t1'])
    // What still runs is waited for.
    scene.write('go')
    expect(await slow).toEqual({ kind: 'succeeded' })
    await hasEnded(opened)
    expect(await active(scene)).toEqual([])
    expect((await observeMachine(scene.machine, scene.profile)).trials).toEqual([])
  })

  test('ends its watcher if the state of the machine is removed while it goes back', async () => {
    const { scene, trial, machine } = await open()
    scene.write('go')
    await perform(scene, 'activate', 'slow')
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop slow', 'start slow')))
    await perform(scene, 'deactivate', 'slow')
    for (const name of ['go', 'begun']) rmSync(scene.path(name))
    const watcher = watcherOf(scene)
    await revertTrial(machine, trial)
    await vi.waitFor(() => expect(scene.has('begun')).toBe(true), PATIENCE)
    removeTree(scene.path('state'))
    scene.write('go')
    await vi.waitFor(() => expect(isAlive(watcher)).toBe(false), PATIENCE)
  })

  test('ends an activity that hangs', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop slow')))
    const slow = perform(scene, 'activate', 'slow')
    await vi.waitFor(() => expect(scene.has('begun')).toBe(true), PATIENCE)
    writeFileSync(join(directory(scene), 'limits'), '1 600\n')
    await revertTrial(machine, trial)
    expect(await slow).toMatchObject({ kind: 'failed' })
    await hasEnded(opened)
    expect(await active(scene)).toEqual([])
  })

  test('names what fails on the way back, and goes on with the rest', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    for (const key of ['a', 'b', 'c', 'd']) await perform(scene, 'activate', key)
    const words = ['stop new', 'stop d', 'stop c', 'stop b', 'stop a', 'start a', 'start b', 'start c', 'start d']
    await beginTrial(machine, trial, terms(stepsOf(scene, ...words)))
    for (const key of ['d', 'c', 'b', 'a']) await perform(scene, 'deactivate', key)
    await perform(scene, 'activate', 'd', '81')
    await perform(scene, 'activate', 'new')
    scene.write('broken', 'deactivate new\ndeactivate d\nactivate b\n')
    await revertTrial(machine, trial)
    await hasEnded(opened)
    const failed = [
      { step: 'stop', name: 'process:new' },
      { step: 'stop', name: 'process:d' },
      { step: 'start', name: 'process:b' },
      // What could not be stopped must not be started beside it.
      { step: 'start', name: 'process:d' },
    ]
    expect(await trialState(machine, trial)).toEqual({ kind: 'ended', failed })
    const states = ['a active 80', 'b activating 80', 'c active 80', 'd deactivating 81', 'new deactivating 80']
    expect(await active(scene)).toEqual(states)
  })

  test('hands secrets to modules on the way back, and keeps them where nobody else can read them', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    await perform(scene, 'activate', 'old')
    const steps = stepsOf(scene, 'stop old', 'start old')
    const fields = steps.flatMap(({ step }) => [step, 'process', 'old', '-secret', 'password', `-for-${step}`])
    await machine.request('trial_begin', ['t1', 'default', 'token', trial.id, '1000', '600', ...fields])
    const file = join(directory(scene), 'secrets/start/process:old')
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['1 password -for-start\n', 0o600])
    await perform(scene, 'deactivate', 'old')
    await perform(scene, 'activate', 'old', '81')
    takeCalls(scene)
    await revertTrial(machine, trial)
    await hasEnded(opened)
    expect(takeCalls(scene)).toEqual(['deactivate old 81-for-stop', 'activate old 80-for-start'])
    expect(existsSync(file)).toBe(false)
  })

  test('goes back after a restart of the machine, and starts all services again', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    for (const key of ['a', 'b']) await perform(scene, 'activate', key)
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new', 'stop b', 'stop a', 'start a', 'start b')))
    await perform(scene, 'activate', 'new')
    const watcher = watcherOf(scene)
    process.kill(-watcher, 'SIGKILL')
    // As if it had been armed during another boot, and so had all activities.
    writeFileSync(join(directory(scene), 'deadline'), 'other-boot 99999999\n')
    for (const key of ['a', 'b', 'new']) {
      const record = scene.path(`state/targets/t1/active/default/process:${key}/record`)
      writeFileSync(record, readFileSync(record, 'utf8').replace(/^boot .*/m, 'boot other-boot'))
    }
    for (const key of ['a', 'b']) {
      const record = join(directory(scene), `before/process:${key}/record`)
      writeFileSync(record, readFileSync(record, 'utf8').replace(/^boot .*/m, 'boot other-boot'))
    }
    takeCalls(scene)
    await vi.waitFor(() => expect(isAlive(watcher)).toBe(false), PATIENCE)
    // Whoever looks has it begin, as an init system would.
    await observeMachine(scene.machine, scene.profile)
    await hasEnded(opened)
    expect(takeCalls(scene)).toEqual([
      'deactivate new 80',
      'deactivate b 80',
      'deactivate a 80',
      'activate a 80',
      'activate b 80',
    ])
    expect(await active(scene)).toEqual(['a active 80', 'b active 80'])
    const record = scene.read('state/targets/t1/active/default/process:a/record')
    expect(record.match(/^boot .*/gm)).toEqual([`boot ${machine.facts.bootId}`])
  })

  test('leaves alone after a restart what its module reports to run', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    for (const key of ['a', 'b']) await perform(scene, 'activate', key)
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop b', 'stop a', 'start a', 'start b')))
    const record = (place: string, key: string) => scene.path(`state/targets/t1/${place}/process:${key}/record`)
    for (const [place, key] of [
      ['active/default', 'a'],
      ['active/default', 'b'],
      ['trials/default/before', 'a'],
      ['trials/default/before', 'b'],
    ] as const) {
      const text = readFileSync(record(place, key), 'utf8')
      writeFileSync(record(place, key), text.replace(/^boot .*/m, 'boot other-boot'))
      writeFileSync(`${/^module (.*)$/m.exec(text)?.[1]}.activities`, 'activate\ndeactivate\nstatus\n')
    }
    scene.write('broken', 'status b\n')
    takeCalls(scene)
    await revertTrial(machine, trial)
    await hasEnded(opened)
    const calls = takeCalls(scene).filter((call) => !call.startsWith('status'))
    expect(calls).toEqual(['deactivate b 80', 'activate b 80'])
  })

  test('goes back if another run takes the lock', async () => {
    const opened = await open()
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    await perform(scene, 'activate', 'new')
    const request = { token: 'other', owner: 'you', leaseSeconds: 60 }
    await acquireLock(scene.machine, placeIn(scene), { ...request, deadToken: 'token' })
    await expect(
      beginTrial(machine, { ...trial, id: 'trial-2' }, { ...terms([]), token: 'other' }),
    ).rejects.toMatchObject({ code: 'going-back' })
    await hasEnded(opened)
    await beginTrial(machine, { ...trial, id: 'trial-2' }, { ...terms([]), token: 'other' })
    expect(readdirSync(scene.path('state/targets/t1/trials')).toSorted()).toEqual(['default'])
    expect(await trialState(machine, trial)).toEqual({ kind: 'none' })
    await revertTrial(machine, { ...trial, id: 'trial-2' })
  })
})
