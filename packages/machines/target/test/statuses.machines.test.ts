import { existsSync, readdirSync, rmSync } from 'node:fs'

import { shellsInDepth } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { askStatuses, observeMachine, performActivity } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

describe.concurrent.each(shellsInDepth())('askStatuses() on a machine with $name', (shell) => {
  const begun = (scene: Scene) => until(() => expect(scene.read('begun')).not.toBe(''))
  const ask = (scene: Scene, timeoutSeconds = 50) => {
    const { profile, mapping } = scene
    const mappings = [mapping, { ...mapping, service: 'none' as never }]
    return askStatuses(scene.machine, { profile, target: mapping.target, mappings, atATime: 2, timeoutSeconds })
  }

  test.each([
    ['exit 0', 'runs'],
    ['echo "not running"; exit 3', 'does-not-run'],
    ['hold', 'unknown'],
  ])('of a module that does %s is %s', async (script, answer) => {
    const scene = await Scene.open(shell)
    scene.module(`[ "$1" = activate ] || { ${script}; }`, ['activate', 'deactivate', 'status'])
    await performActivity(scene.machine, scene.request('activate'))
    const before = [readdirSync(scene.record), readdirSync(`${scene.record}/..`)]
    expect(await ask(scene, answer === 'unknown' ? 1 : 50)).toEqual([answer, 'gone'])
    expect([readdirSync(scene.record), readdirSync(`${scene.record}/..`)]).toEqual(before)
  })

  test.runIf(shell.inDepth)('calls the module with the same environment as its other activities', async () => {
    const scene = await Scene.open(shell)
    scene.module('echo "$1 $2 $3 $port $DAVIT_KEY $(grep SigIgn /proc/$$/status)" >>"$D/asked"', ['activate', 'status'])
    await performActivity(scene.machine, scene.request('activate'))
    expect(await ask(scene)).toEqual(['runs', 'gone'])
    const [activated, asked] = scene.read('asked').split('\n')
    expect(asked).toBe(activated?.replace('activate', 'status'))
  })

  test.runIf(shell.inDepth).each([
    ['activities', ['activate', 'deactivate', 'status', 'collect-garbage']],
    ['no activity', []],
    ['nothing', undefined],
  ])('is asked only of modules that declare it: %s', async (_, activities) => {
    const scene = await Scene.open(shell)
    scene.module('exit 0', activities)
    await performActivity(scene.machine, scene.request('activate'))
    const { records } = await observeMachine(scene.machine, scene.profile)
    expect(records.map(({ declared }) => declared)).toEqual([activities])
  })

  test.runIf(shell.inDepth)('is gone without a record', async () => {
    const scene = await Scene.open(shell)
    expect(await ask(scene)).toEqual(['gone', 'gone'])
    expect(existsSync(scene.record)).toBe(false)
  })

  test.runIf(shell.inDepth)('is unknown if the asker is killed', async () => {
    const scene = await Scene.open(shell)
    scene.module('[ "$1" = activate ] || kill -KILL "$PPID"', ['activate', 'status'])
    await performActivity(scene.machine, scene.request('activate'))
    const { profile, mapping } = scene
    const questions = { profile, target: mapping.target, mappings: [mapping], atATime: 1, timeoutSeconds: 50 }
    expect(await askStatuses(scene.machine, questions)).toEqual(['unknown'])
  })

  test.runIf(shell.inDepth)('is gone if the helper and the record are lost in the meantime', async () => {
    const scene = await Scene.open(shell)
    scene.module('[ "$1" = activate ] || { echo $$ >"$D/begun"; hold; }', ['activate', 'status'])
    await performActivity(scene.machine, scene.request('activate'))
    const answer = ask(scene)
    await begun(scene)
    rmSync(scene.record, { recursive: true })
    process.kill(scene.connection.pids[0] ?? 0, 'SIGKILL')
    expect(await answer).toEqual(['gone', 'gone'])
  })
})
