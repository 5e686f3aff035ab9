import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { notingShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { beginTrial, forgetTrial, revertTrial, trialState } from '../src/target.ts'
import { closeScenes } from './scene.ts'
import { active, directory, hasEnded, openTrial, perform, stepsOf, takeCalls, terms } from './trial-scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

describe.concurrent.each(notingShells())('the way back from a trial, on a machine with $name', (shell) => {
  test('has its order, leads to exactly what was active, and leaves alone what did not change', async () => {
    const opened = await openTrial(shell)
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

  test.runIf(shell.inDepth)('goes on after what fails, which it names', async () => {
    const opened = await openTrial(shell)
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

  test('hands secrets to modules, and keeps them where nobody else can read them', async () => {
    const opened = await openTrial(shell)
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

  testCalls(shell, 'trial-way-back')
})
