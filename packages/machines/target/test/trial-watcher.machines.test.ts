import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { removeTree } from '@davit/files'
import { isAlive } from '@davit/testing/processes'
import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

import { beginTrial, extendTrial, observeMachine, revertTrial, trialState } from '../src/target.ts'
import { closeScenes } from './scene.ts'
import { active, directory, hasEnded, openTrial, perform, stepsOf, takeCalls, terms, watcherOf } from './trial-scene.ts'

afterAll(closeScenes)

describe.concurrent.each(installedShells())('the watcher of a trial, on a machine with $name', (shell) => {
  test.runIf(shell.inDepth)('is one, even if the trial is begun again since the answer was lost', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    const first = watcherOf(scene)
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    await until(() => expect(isAlive(first)).toBe(false))
    expect(isAlive(watcherOf(scene))).toBe(true)
    await perform(scene, 'activate', 'new')
    await revertTrial(machine, trial)
    await hasEnded(opened)
    expect(takeCalls(scene)).toEqual(['activate new 80', 'deactivate new 80'])
  })

  test('is there again after it was killed: with a sign of life, for whoever looks, and to go back', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    await perform(scene, 'activate', 'new')
    const kill = async () => {
      const watcher = watcherOf(scene)
      process.kill(-watcher, 'SIGKILL')
      await until(() => expect(isAlive(watcher)).toBe(false))
    }
    await kill()
    await extendTrial(machine, trial, 9000)
    await until(() => expect(isAlive(watcherOf(scene))).toBe(true))
    expect(await trialState(machine, trial)).toEqual({ kind: 'armed' })
    await kill()
    expect((await observeMachine(scene.machine, scene.profile)).trials).toEqual(['t1'])
    await until(() => expect(isAlive(watcherOf(scene))).toBe(true))
    await kill()
    await revertTrial(machine, trial)
    await hasEnded(opened)
    expect(await active(scene)).toEqual([])
  })

  test.runIf(shell.inDepth)('leaves a trial alone that has another one', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop new')))
    await perform(scene, 'activate', 'new')
    const watcher = watcherOf(scene)
    rmSync(join(directory(scene), 'watcher'))
    symlinkSync(machine.facts.helper, join(directory(scene), 'watcher'))
    await extendTrial(machine, trial, 0)
    await until(() => expect(isAlive(watcher)).toBe(false))
    rmSync(join(directory(scene), 'watcher'))
    expect(await trialState(machine, trial)).toEqual({ kind: 'back' })
    await observeMachine(scene.machine, scene.profile)
    await hasEnded(opened)
    expect(takeCalls(scene)).toEqual(['activate new 80', 'deactivate new 80'])
  })

  // The shell of busybox does not call another `setsid`.
  test.skipIf(shell.name === 'busybox')(
    'is needed: where it cannot be started, the trial is refused, and leaves nothing behind',
    async () => {
      const tools = mkdtempSync(join(tmpdir(), 'davit-setsid-'))
      onTestFinished(() => removeTree(tools))
      writeFileSync(join(tools, 'setsid'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
      const { scene, trial, machine } = await openTrial(shell, tools)
      await expect(beginTrial(machine, trial, terms([]))).rejects.toMatchObject({
        message: expect.stringContaining('cannot start a process'),
      })
      expect(readdirSync(scene.path('state/targets/t1/trials'))).toEqual([])
    },
  )

  test.runIf(shell.inDepth)('ends if the state of the machine is removed while it goes back', async () => {
    const { scene, trial, machine } = await openTrial(shell)
    scene.write('go')
    await perform(scene, 'activate', 'slow')
    await beginTrial(machine, trial, terms(stepsOf(scene, 'stop slow', 'start slow')))
    await perform(scene, 'deactivate', 'slow')
    for (const name of ['go', 'begun']) rmSync(scene.path(name))
    const watcher = watcherOf(scene)
    await revertTrial(machine, trial)
    await until(() => expect(scene.has('begun')).toBe(true))
    removeTree(scene.path('state'))
    scene.write('go')
    await until(() => expect(isAlive(watcher)).toBe(false))
  })
})
