import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { ContainerName, ProfileName, ServiceKey, StorePath, TargetName } from '@davit/documents'
import { shellsInDepth } from '@davit/testing/shells'
import { afterAll, describe, expect, test } from 'vitest'

import { observeMachine, performActivity, profileRoot, setProfile } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'

afterAll(closeScenes)

/** As long as a name may be, with a different end only. */
const name = (kind: string, end: string) => `${kind}-`.padEnd(200 - end.length, 'x') + end
const profile = name('profile', '1') as ProfileName
const key = '0123456789abcdef'.repeat(4) as ServiceKey
const mappings = ['1', '2'].flatMap((one) =>
  ['1', '2'].map((other) => ({
    target: name('target', one) as TargetName,
    container: name('container', other) as ContainerName,
    service: key,
  })),
)

describe.concurrent.each(shellsInDepth())('names of 200 bytes on a machine with $name', (shell) => {
  const opened = async () => {
    const scene = await Scene.open(shell)
    scene.module('echo "$1 $DAVIT_TARGET $DAVIT_KEY $3" >>"$D/calls"; echo printed; [ ! -e "$D/fail" ]')
    const activate = scene.request('activate')
    const stop = async (mapping: (typeof mappings)[number]) => {
      const { definition: _definition, ...request } = activate
      return performActivity(scene.machine, { ...request, activity: 'deactivate', profile, mapping })
    }
    const start = (mapping: (typeof mappings)[number]) =>
      performActivity(scene.machine, { ...activate, profile, mapping })
    const observe = () => observeMachine(scene.machine, profile)
    return { scene, start, stop, observe }
  }
  const calls = (activity: string) =>
    mappings.map(({ target, container }) => `${activity} ${target} ${key} ${container}\n`).join('')

  test('have separate records, which contain them in full', async () => {
    const { scene, start, stop, observe } = await opened()
    for (const mapping of mappings) expect(await start(mapping)).toEqual({ kind: 'succeeded' })
    const { records, damaged } = await observe()
    expect([records.map((record) => record.mapping), damaged]).toEqual([mappings, []])
    for (const mapping of mappings) expect(await stop(mapping)).toEqual({ kind: 'succeeded' })
    expect(scene.read('calls')).toBe(calls('activate') + calls('deactivate'))
    expect((await observe()).records).toEqual([])
  })

  test('are reported for failures and damaged records, which can be stopped', async () => {
    const { scene, start, stop, observe } = await opened()
    const [mapping] = mappings
    if (mapping === undefined) throw new Error('there is no mapping')
    scene.write('fail')
    expect(await start(mapping)).toMatchObject({ kind: 'failed', log: 'printed\n' })
    const records = join(scene.directory, 'state/targets', mapping.target, 'active', profile)
    const [directory = ''] = readdirSync(records)
    writeFileSync(join(records, directory, 'state'), 'asleep\n')
    expect((await observe()).damaged).toMatchObject(
      [mapping].map(({ target, container }) => ({ target, container, key })),
    )
    renameSync(scene.path('fail'), scene.path('failed'))
    expect(await stop(mapping)).toEqual({ kind: 'succeeded' })
    expect((await observe()).damaged).toEqual([])
  })

  test('are found in the form that older versions shortened them to', async () => {
    const { scene, start, stop, observe } = await opened()
    const [mapping] = mappings
    if (mapping === undefined) throw new Error('there is no mapping')
    await start(mapping)
    const records = join(scene.directory, 'state/targets', mapping.target, 'active', profile)
    const [directory = ''] = readdirSync(records)
    renameSync(join(records, directory), join(records, `${mapping.container.slice(0, 150)}~200:${key}`))
    expect((await observe()).records.map((record) => record.mapping)).toEqual([mapping])
    expect(await stop(mapping)).toEqual({ kind: 'succeeded' })
    expect(scene.read('calls')).toContain('deactivate')
    expect(readdirSync(records)).toEqual([])
  })

  test('have separate profiles, which the store keeps', async () => {
    const { scene } = await opened()
    const path = scene.path('package') as StorePath
    mkdirSync(path)
    const profiles = ['1', '2'].map((end) => name('profile', end) as ProfileName)
    const { target } = mappings[0] ?? { target: 't' as TargetName }
    const store = { kind: 'native', directory: scene.directory } as const
    for (const one of profiles) {
      const set = { target, profile: one, token: '-', path, generations: 'add', store } as const
      expect(await setProfile(scene.machine, set)).toEqual({ generation: 1 })
    }
    const roots = readdirSync(join(dirname(path), '.davit/roots'))
      .filter((root) => root.startsWith('profile:'))
      .map((root) => root.replace(/:[^:]{16}$/, ''))
    expect(roots.toSorted()).toEqual(profiles.map((one) => profileRoot(target, one)).toSorted())
    expect(new Set(roots).size).toBe(2)
  })
})
