import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { notingShells } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { performActivity, readInventory } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'
import { testCalls } from './functions.ts'

afterAll(closeScenes)

const timesOn = async (scene: Scene, profile: string) =>
  (await readInventory(await scene.machineFor('query'), { profile: profile as never, targets: [], references: [] }))
    .timeOf

describe.concurrent.each(notingShells())('times on a machine with $name', (shell) => {
  test('tells when each record got its state, and nothing of what does not belong there', async () => {
    const scene = await Scene.open(shell)
    scene.module('exit 0')
    await performActivity(scene.machine, scene.request('activate'))
    const time = new Date('2026-01-02T03:04:05Z')
    utimesSync(join(scene.record, 'state'), time, time)
    for (const [directory, file] of [
      ['below', 'state'],
      ['', 'state\nof nobody'],
    ] as const) {
      mkdirSync(join(scene.record, directory), { recursive: true })
      writeFileSync(join(scene.record, directory, file), '')
    }
    const timeOf = await timesOn(scene, scene.profile)
    expect(timeOf(scene.mapping)).toEqual(time)
    expect(timeOf({ ...scene.mapping, service: 'none' as never })).toBeUndefined()
    const timeInOther = await timesOn(scene, 'other')
    expect(timeInOther(scene.mapping)).toBeUndefined()
  })

  testCalls(shell, 'times')
})
