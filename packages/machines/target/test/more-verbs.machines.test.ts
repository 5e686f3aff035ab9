import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { addRows, MORE_STATES, MORE_VERBS } from '@davit/target-runtime/testing'
import { installedShells } from '@davit/testing/shells'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { awaitActivity, observeMachine, performActivity } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

let removeRows: () => void
beforeAll(() => {
  removeRows = addRows(MORE_VERBS, MORE_STATES)
})
afterAll(() => {
  closeScenes()
  removeRows()
})

type MoreVerb = keyof typeof MORE_VERBS | 'activate' | 'deactivate'

describe.each(installedShells())('verbs that only have rows, on a machine with $name,', (shell) => {
  const opened = async () => {
    const scene = await Scene.open(shell)
    scene.module('echo "$1" >>"$D/calls"; [ ! -e "$D/fail" ]')
    return scene
  }
  const requestOf = (scene: Scene, verb: MoreVerb) => scene.request(verb as 'activate')
  const perform = (scene: Scene, verb: MoreVerb) => performActivity(scene.machine, requestOf(scene, verb))
  const ended = (scene: Scene, verb: MoreVerb) => awaitActivity(scene.machine, requestOf(scene, verb))
  const observed = async (scene: Scene) => {
    const { records } = await observeMachine(scene.machine, scene.profile)
    return records.map(({ state, hasFailed }) => `${state}${hasFailed ? ' failed' : ''}`)
  }
  const recordOf = (scene: Scene) => readFileSync(join(scene.record, 'record'), 'utf8')
  const SUCCEEDED = { kind: 'succeeded' }

  test('lead to their states, and the record stays unless they write it', async () => {
    const scene = await opened()
    await perform(scene, 'activate')
    const record = recordOf(scene)
    expect([await perform(scene, 'hold'), await observed(scene)]).toEqual([SUCCEEDED, ['held']])
    expect(recordOf(scene)).toBe(record)
    expect([await perform(scene, 'release'), await observed(scene)]).toEqual([SUCCEEDED, ['active']])
    const other = requestOf(scene, 'retouch')
    const definition = { ...other.definition!, properties: new Map([['port', '81']]) }
    expect(await performActivity(scene.machine, { ...other, definition })).toEqual(SUCCEEDED)
    expect([await observed(scene), recordOf(scene)]).toEqual([
      ['active'],
      record.replace(/^(.*\bport\b.*)80$/m, '$181'),
    ])
    expect([await perform(scene, 'deactivate'), await observed(scene)]).toEqual([SUCCEEDED, []])
    expect(scene.read('calls')).toBe('activate\nhold\nrelease\nretouch\ndeactivate\n')
  })

  test('stay intended if they fail, and can be undone', async () => {
    const scene = await opened()
    await perform(scene, 'activate')
    scene.write('fail')
    expect(await perform(scene, 'hold')).toMatchObject({ kind: 'failed', message: 'its module ended with status 1' })
    expect([await observed(scene), await ended(scene, 'hold')]).toEqual([['holding failed'], 1])
    rmSync(scene.path('fail'))
    expect([await perform(scene, 'release'), await observed(scene)]).toEqual([SUCCEEDED, ['active']])
  })

  test('fail if nothing says how to call the module', async () => {
    const scene = await opened()
    const { definition: _, ...request } = requestOf(scene, 'hold')
    const failed = { kind: 'failed', message: 'there is no record of it' }
    expect(await performActivity(scene.machine, request)).toMatchObject(failed)
    expect([await observed(scene), scene.has('calls')]).toEqual([[], false])
  })

  test('are requested again if they certainly never began, and are done if their state says so', async () => {
    const scene = await opened()
    await perform(scene, 'activate')
    expect([await ended(scene, 'hold'), await ended(scene, 'deactivate')]).toEqual([256, 256])
    const helper = scene.connection.pids.at(-1) ?? 0
    process.kill(helper, 'SIGSTOP')
    const held = perform(scene, 'hold')
    await setImmediate()
    process.kill(helper, 'SIGKILL')
    expect([await held, await observed(scene)]).toEqual([SUCCEEDED, ['held']])
    expect([await ended(scene, 'hold'), await ended(scene, 'release')]).toEqual([0, 256])
    writeFileSync(join(scene.record, 'state'), 'releasing\n')
    expect([await ended(scene, 'hold'), await ended(scene, 'release')]).toEqual([256, 255])
    expect(scene.read('calls')).toBe('activate\nhold\n')
  })

  test('count as unknown if what they change in place has the same state as before', async () => {
    const scene = await opened()
    await perform(scene, 'activate')
    expect(await ended(scene, 'retouch')).toBe(255)
  })
})
