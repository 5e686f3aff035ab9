import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { removeTree } from '@davit/files'
import { isAlive } from '@davit/testing/processes'
import { notingShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { acquireLock, awaitActivity, observeMachine, performActivity } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

describe.concurrent.each(notingShells())('activities on a machine with $name', (shell) => {
  const begun = (scene: Scene) => until(() => expect(scene.read('begun')).not.toBe(''))
  const runnerPid = (scene: Scene) => Number(readlinkSync(join(scene.record, 'running')).split(':')[0])
  const states = async (scene: Scene) =>
    (await observeMachine(scene.machine, scene.profile)).records.map(
      ({ state, running }) => `${state} ${running ? 'running' : 'ended'}`,
    )

  describe('that exceed their time limit', () => {
    test('fail, and leave nothing of their process group', async () => {
      const scene = await Scene.open(shell)
      scene.module('sleep 1000 & echo $! >"$D/child"; echo "about to hang"; hold')
      const result = await performActivity(scene.machine, { ...scene.request('activate'), timeoutSeconds: 3 })
      expect(result).toEqual({
        kind: 'failed',
        message: 'it took longer than 3 seconds and was stopped',
        log: 'about to hang\n',
      })
      expect(isAlive(scene.pidIn('child'))).toBe(false)
      expect(await states(scene)).toEqual(['activating ended'])
      expect(readdirSync(scene.record).toSorted()).toEqual(['record', 'state', 'status'])
    })

    test.runIf(shell.inDepth)('are killed when they ignore TERM', async () => {
      const scene = await Scene.open(shell)
      scene.module(`trap 'echo ignored >>"$D/term"' TERM; hold & wait; wait; hold; exit 0`)
      const result = await performActivity(scene.machine, { ...scene.request('activate'), timeoutSeconds: 3 })
      expect(result).toMatchObject({ kind: 'failed', message: expect.stringContaining('longer than 3 seconds') })
      expect(scene.read('term')).toBe('ignored\n')
    })

    test.runIf(shell.inDepth)('fail even if they exit with 0', async () => {
      const scene = await Scene.open(shell)
      await performActivity(scene.machine, scene.request('activate', scene.module('exit 0')))
      scene.module(`trap 'exit 0' TERM; hold & wait`)
      const polite = await performActivity(scene.machine, { ...scene.request('deactivate'), timeoutSeconds: 3 })
      expect(polite).toMatchObject({ kind: 'failed', message: expect.stringContaining('longer than 3 seconds') })
    })

    test.runIf(shell.inDepth)('are stopped even without helper and runner', async () => {
      const scene = await Scene.open(shell)
      scene.module('echo $$ >"$D/begun"; hold')
      const activity = performActivity(scene.machine, { ...scene.request('activate'), timeoutSeconds: 4 })
      await begun(scene)
      process.kill(runnerPid(scene), 'SIGKILL')
      process.kill(scene.connection.pids[0] ?? 0, 'SIGKILL')
      expect(await activity).toMatchObject({ kind: 'failed', message: 'it was cut off, or never began' })
      expect(isAlive(scene.pidIn('begun'))).toBe(false)
    })

    test('are not waited for when they end in time, and leave no process behind', async () => {
      const scene = await Scene.open(shell)
      scene.module('echo $PPID >"$D/runner"')
      const started = Date.now()
      const request = { ...scene.request('activate'), timeoutSeconds: 4_321 }
      expect(await performActivity(scene.machine, request)).toEqual({ kind: 'succeeded' })
      expect(Date.now() - started).toBeLessThan(60_000)
      await until(() => expect(commandLines().filter((line) => line.includes('4321'))).toEqual([]))
    })
  })

  describe('whose runner was killed', () => {
    test('are waited for, and never run twice at the same time', async () => {
      const scene = await Scene.open(shell)
      scene.module('echo "$1" >>"$D/begun"; hold; echo end >>"$D/begun"')
      const first = performActivity(scene.machine, scene.request('activate'))
      await begun(scene)
      process.kill(runnerPid(scene), 'SIGKILL')
      expect(await states(scene)).toEqual(['activating running'])
      const second = await performActivity(scene.machine, scene.request('deactivate'))
      expect(second).toEqual({ kind: 'failed', message: 'another activity of this service is still running', log: '' })
      const awaited = awaitActivity(scene.machine, scene.request('activate'))
      scene.write('go')
      expect(await awaited).toBe(255)
      expect(await first).toMatchObject({ kind: 'failed', message: 'it was cut off, or never began' })
      expect(await states(scene)).toEqual(['activating ended'])
      expect(await performActivity(scene.machine, scene.request('deactivate'))).toEqual({ kind: 'succeeded' })
      expect(scene.read('begun')).toBe('activate\nend\ndeactivate\nend\n')
    })

    test.runIf(shell.inDepth)('are stopped when the time of the run that waits for them is over', async () => {
      const scene = await Scene.open(shell)
      scene.module('echo $$ >"$D/begun"; hold')
      const first = performActivity(scene.machine, scene.request('activate'))
      await begun(scene)
      process.kill(runnerPid(scene), 'SIGKILL')
      expect(await awaitActivity(scene.machine, { ...scene.request('activate'), timeoutSeconds: 1 })).toBe(252)
      expect(await first).toMatchObject({ kind: 'failed', message: 'it was cut off, or never began' })
      expect(isAlive(scene.pidIn('begun'))).toBe(false)
      expect(await states(scene)).toEqual(['activating ended'])
    })
  })

  describe('whose request is lost with the connection', () => {
    /** Performs an activity, and kills the helper before it reads the request. */
    const lose = async (scene: Scene, activity: 'activate' | 'deactivate') => {
      const helper = scene.connection.pids.at(-1) ?? 0
      process.kill(helper, 'SIGSTOP')
      const result = performActivity(scene.machine, scene.request(activity))
      await setImmediate()
      process.kill(helper, 'SIGKILL')
      return await result
    }
    const opened = async () => {
      const scene = await Scene.open(shell)
      scene.module('echo "$1" >>"$D/calls"')
      return scene
    }

    test('are requested again', async () => {
      const scene = await opened()
      expect(await lose(scene, 'activate')).toEqual({ kind: 'succeeded' })
      expect(await states(scene)).toEqual(['active ended'])
      expect(await lose(scene, 'deactivate')).toEqual({ kind: 'succeeded' })
      expect(await states(scene)).toEqual([])
      expect(scene.read('calls')).toBe('activate\ndeactivate\n')
    })

    test.runIf(shell.inDepth)(
      'do not count as done because of what was done before the machine was started',
      async () => {
        const scene = await opened()
        await performActivity(scene.machine, scene.request('activate'))
        const record = join(scene.record, 'record')
        writeFileSync(record, readFileSync(record, 'utf8').replace(/^boot .*$/m, 'boot another'))
        expect(await lose(scene, 'activate')).toEqual({ kind: 'succeeded' })
        expect(scene.read('calls')).toBe('activate\nactivate\n')
      },
    )

    test.runIf(shell.inDepth)('fail if an earlier one was cut off, which may be the same', async () => {
      const scene = await opened()
      await performActivity(scene.machine, scene.request('activate'))
      writeFileSync(join(scene.record, 'state'), 'deactivating\n')
      const failed = { kind: 'failed', message: 'it was cut off, or never began' }
      expect(await lose(scene, 'deactivate')).toMatchObject(failed)
      expect(scene.read('calls')).toBe('activate\n')
    })
  })

  // The shell of busybox does not call another `ln` or `sync`.
  describe.runIf(shell.inDepth && shell.name !== 'busybox')('that are about to begin', () => {
    /** A scene in which a utility waits for a file `continue` when it is called with such arguments for the first time. */
    const slowed = async (utility: string, pattern: string) => {
      const directory = mkdtempSync(join(tmpdir(), 'davit-slow-'))
      onTestFinished(() => removeTree(directory))
      const hold = `: >${directory}/held; until [ -e ${directory}/continue ] || [ ! -e ${directory} ]; do sleep 0.02; done`
      const slow = `#!/bin/sh\n[ -e ${directory}/held ] || case "$*" in ${pattern}) ${hold} ;; esac\nexec /bin/${utility} "$@"\n`
      writeFileSync(join(directory, utility), slow, { mode: 0o755 })
      const scene = await Scene.open({ ...shell, path: `${directory}:${shell.path}` })
      scene.module('echo "$1" >>"$D/calls"')
      return {
        scene,
        held: () => until(() => expect(existsSync(join(directory, 'held'))).toBe(true)),
        letGo: () => writeFileSync(join(directory, 'continue'), ''),
      }
    }
    const atClaim = () => slowed('ln', '*process:key/running')
    const atIntention = () => slowed('sync', '*process:key/state*')
    const killHelper = ({ connection }: Scene) => process.kill(connection.pids[0] ?? 0, 'SIGKILL')

    test('are observed as running, and go on if their helper dies', async () => {
      const { scene, held, letGo } = await atIntention()
      const activity = performActivity(scene.machine, scene.request('activate'))
      await held()
      killHelper(scene)
      expect(await states(scene)).toEqual(['activating running'])
      letGo()
      expect(await activity).toEqual({ kind: 'succeeded' })
      expect([await states(scene), scene.read('calls')]).toEqual([['active ended'], 'activate\n'])
    })

    test('begin once if their helper dies before it has claimed the mapping', async () => {
      const { scene, held, letGo } = await atClaim()
      const activity = performActivity(scene.machine, scene.request('activate'))
      await held()
      killHelper(scene)
      expect(await activity).toEqual({ kind: 'succeeded' })
      letGo()
      await until(() => expect(commandLines().filter((line) => line.includes(scene.record))).toEqual([]))
      // The one that comes late claims the mapping, finds that its helper is dead, and gives up.
      await until(() => expect(readdirSync(scene.record).toSorted()).toEqual(['record', 'state']))
      expect([await states(scene), scene.read('calls')]).toEqual([['active ended'], 'activate\n'])
    })

    test('do not begin if the lock is taken by somebody else until they have claimed the mapping', async () => {
      const { scene, held, letGo } = await atClaim()
      const place = { target: scene.mapping.target, profile: scene.profile }
      const terms = { owner: 'me', leaseSeconds: 60 }
      await acquireLock(scene.machine, place, { ...terms, token: 'mine' })
      const activity = performActivity(scene.machine, { ...scene.request('activate'), token: 'mine' })
      activity.catch(() => {})
      await held()
      const other = await scene.machineFor('deploy')
      await acquireLock(other, place, { ...terms, token: 'yours', deadToken: 'mine' })
      letGo()
      await expect(activity).rejects.toMatchObject({ code: 'lock-lost' })
      expect([existsSync(scene.record), scene.has('calls')]).toEqual([false, false])
    })

    test('do not call the module after the death of their runner', async () => {
      const { scene, held, letGo } = await slowed('ln', '*process:key/module')
      const activity = performActivity(scene.machine, scene.request('activate'))
      await held()
      process.kill(runnerPid(scene), 'SIGKILL')
      expect(await activity).toMatchObject({ kind: 'failed' })
      letGo()
      // The one that comes late claims the module, finds that its runner is dead, and gives up. Until then it counts as running.
      await until(() => expect(commandLines().filter((line) => line.includes(scene.record))).toEqual([]))
      expect(readdirSync(scene.record)).not.toContain('module')
      expect(await performActivity(scene.machine, scene.request('deactivate'))).toEqual({ kind: 'succeeded' })
      expect(scene.read('calls')).toBe('deactivate\n')
    })

    test('leave the record as it was if they are refused', async () => {
      const scene = await Scene.open(shell)
      await performActivity(scene.machine, scene.request('activate', scene.module('exit 0')))
      const files = () =>
        readdirSync(scene.record).map((name) => [name, readFileSync(join(scene.record, name), 'utf8')])
      const before = files()
      const missing = scene.request('activate', scene.path('missing'))
      expect(await performActivity(scene.machine, missing)).toMatchObject({ kind: 'failed' })
      const lost = { ...scene.request('deactivate'), token: 'yours' }
      await expect(performActivity(scene.machine, lost)).rejects.toMatchObject({ code: 'lock-lost' })
      expect(files()).toEqual(before)
    })
  })

  function commandLines(): readonly string[] {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return pids.flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'latin1')]
      } catch {
        return []
      }
    })
  }

  testCalls(shell, 'activity')
})
