import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isAlive } from '@davit/testing/processes'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import {
  acquireLock,
  beginTrial,
  confirmTrial,
  extendTrial,
  observeMachine,
  revertTrial,
  trialState,
} from '../src/target.ts'
import { closeScenes } from './scene.ts'
import { active, directory, hasEnded, openTrial, perform, placeIn, stepsOf, terms, watcherOf } from './trial-scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

describe.concurrent.each(notingShells())('a trial on a machine with $name', (shell) => {
  test('that is confirmed changes nothing, and leaves nothing behind', async () => {
    const { scene, trial, machine } = await openTrial(shell)
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

  test('goes back by itself when its time is over, and not before a sign of life has begun it anew', async () => {
    const opened = await openTrial(shell)
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
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    scene.write('broken')
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop slow')))
    const slow = perform(scene, 'activate', 'slow')
    await until(() => expect(scene.has('begun')).toBe(true))
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

  test.runIf(shell.inDepth)('ends an activity that hangs', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop slow')))
    const slow = perform(scene, 'activate', 'slow')
    await until(() => expect(scene.has('begun')).toBe(true))
    writeFileSync(join(directory(scene), 'limits'), '1 600\n')
    await revertTrial(machine, trial)
    expect(await slow).toMatchObject({ kind: 'failed' })
    await hasEnded(opened)
    expect(await active(scene)).toEqual([])
  })

  test.runIf(shell.inDepth)('goes back if another run takes the lock', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    scene.write('go')
    await perform(scene, 'activate', 'slow')
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop slow', 'start slow')))
    await perform(scene, 'deactivate', 'slow')
    for (const name of ['go', 'begun']) rmSync(scene.path(name))
    const request = { token: 'other', owner: 'you', leaseSeconds: 60 }
    await acquireLock(scene.machine, placeIn(scene), { ...request, deadToken: 'token' })
    await until(() => expect(scene.has('begun')).toBe(true))
    const other = { ...trial, id: 'trial-2' }
    const begin = async () => beginTrial(machine, other, { ...terms([]), token: 'other' })
    await expect(begin()).rejects.toMatchObject({ code: 'going-back' })
    scene.write('go')
    await hasEnded(opened)
    await begin()
    expect(readdirSync(scene.path('state/targets/t1/trials')).toSorted()).toEqual(['default'])
    expect(await trialState(machine, trial)).toEqual({ kind: 'none' })
    await revertTrial(machine, other)
  })

  testCalls(shell, 'trial')
})
