import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { encodeDocument, Manifest, type NamedMapping, type ProfileName, type Target } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, expect, test } from 'vitest'

import {
  addGeneration,
  deleteAllGenerations,
  deleteGenerations,
  deploymentPlace,
  forgetTarget,
  readLeftBehind,
  writeLeftBehind,
} from '../src/coordinator-state.ts'

let state: string
let place: string
beforeEach(() => {
  state = scratchDirectory()
  place = deploymentPlace(state, 'default' as ProfileName)
})

const left = (target: string, name: string) =>
  ({ target, container: 'process', service: `key-of-${name}`, name }) as unknown as NamedMapping
const LEFT = [left('n1', 'api'), left('n1', 'page'), left('node-2', 'database')]
const file = () => join(place, 'left-behind.json')

/** A generation with these targets. */
function generation(...targets: readonly string[]) {
  const target = {
    system: 'x86_64-linux',
    numOfCores: 1,
    clientInterface: 'local',
    targetProperty: 'hostname',
    properties: new Map([['hostname', 'localhost']]),
    containers: new Map(),
  } as unknown as Target
  const manifest = {
    store: { kind: 'native', directory: '/store' },
    profiles: new Map(),
    services: new Map(),
    infrastructure: new Map(targets.map((name) => [name, target])),
    serviceMappings: [],
    snapshotMappings: [],
  } as unknown as Manifest
  const origin = { time: new Date(), user: 'alice', host: 'here' }
  return addGeneration(place, { manifest, text: encodeDocument(Manifest, manifest, 'json'), origin })
}

test('what was left behind is kept unchanged, and an empty list leaves no file', async () => {
  expect(await readLeftBehind(place)).toEqual([])
  await writeLeftBehind(place, [])
  expect(existsSync(place)).toBe(false)
  await writeLeftBehind(place, LEFT)
  expect(await readLeftBehind(place)).toEqual(LEFT)
  await writeLeftBehind(place, [])
  expect(readdirSync(place)).toEqual([])
})

test('it survives generations that are deleted, and goes with the deployment', async () => {
  for (const target of ['n1', 'n2', 'n3']) await generation(target)
  await writeLeftBehind(place, LEFT)
  await deleteGenerations(place, [1, 2], async () => {})
  expect(await readLeftBehind(place)).toEqual(LEFT)
  await deleteAllGenerations(place, async () => {})
  expect(await readLeftBehind(place)).toEqual([])
})

test('a target can be forgotten, and only one on which something was left', async () => {
  await generation('n9')
  await writeLeftBehind(place, LEFT)
  await expect(forgetTarget(place, 'elsewhere')).rejects.toMatchObject({
    hint: "services were left behind on 'n1', 'node-2'",
  })
  await expect(forgetTarget(place, 'node-3')).rejects.toMatchObject({
    code: 'no-target',
    exitStatus: 1,
    message: "nothing was left behind on 'node-3'",
    hint: "did you mean 'node-2'?",
  })
  expect(await forgetTarget(place, 'n1')).toEqual(LEFT.slice(0, 2))
  expect(await readLeftBehind(place)).toEqual(LEFT.slice(2))
  await forgetTarget(place, 'node-2')
  await expect(forgetTarget(place, 'n1')).rejects.toMatchObject({
    hint: 'this deployment has left nothing behind on any target',
  })
})

test('one that belongs to the current generation cannot be forgotten: the next run would find it again', async () => {
  await generation('n1')
  await writeLeftBehind(place, LEFT)
  await expect(forgetTarget(place, 'n1')).rejects.toMatchObject({ code: 'still-deployed', exitStatus: 1 })
  expect(await readLeftBehind(place)).toEqual(LEFT)
})

test.each(['', '{', '{}', '[1]', '[{"target":"n1"}]', JSON.stringify([left('../x', 'api')])])(
  'a file that holds %j is an error that names it',
  async (text) => {
    mkdirSync(place, { recursive: true })
    writeFileSync(file(), text)
    await expect(readLeftBehind(place)).rejects.toMatchObject({
      code: 'corrupt-state',
      exitStatus: 65,
      message: expect.stringContaining(file()),
    })
  },
)
