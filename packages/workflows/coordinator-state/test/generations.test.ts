import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { DavitError } from '@davit/diagnostics'
import {
  encodeDocument,
  Manifest,
  type ProfileName,
  type StorePath,
  type System,
  type Target,
  type TargetName,
} from '@davit/documents'
import { patience, runs } from '@davit/testing/effort'
import { awkwardText, mutationsOf } from '@davit/testing/hostile'
import { scratchDirectory } from '@davit/testing/scratch'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

import {
  addGeneration,
  currentGeneration,
  deploymentPlace,
  generationNumbers,
  readMadeFrom,
} from '../src/coordinator-state.ts'
import { pointerFile } from '../src/place.ts'

let state: string
let place: string

beforeEach(() => {
  state = scratchDirectory()
  place = deploymentPlace(state, 'default' as ProfileName)
})

const target: Target = {
  system: 'x86_64-linux' as System,
  numOfCores: 1,
  clientInterface: 'local',
  targetProperty: 'hostname',
  properties: new Map([['hostname', 'localhost']]),
  containers: new Map(),
}

const origin = { time: new Date('2026-11-20T10:00:00Z'), user: 'alice', host: 'coordinator' }

function deployed(profile: string, format: 'xml' | 'json' = 'json') {
  const path = `/store/${profile.repeat(32).slice(0, 32)}-t1` as StorePath
  const manifest: Manifest = {
    store: { kind: 'native', directory: '/store' },
    profiles: new Map([['t1' as TargetName, path]]),
    services: new Map(),
    infrastructure: new Map([['t1' as TargetName, target]]),
    serviceMappings: [],
    snapshotMappings: [],
  }
  return { manifest, text: encodeDocument(Manifest, manifest, format), origin }
}

describe('addGeneration()', () => {
  test('makes current what a run left that was cut off before that, and adds another manifest', async () => {
    await addGeneration(place, deployed('a'))
    rmSync(pointerFile(place))
    expect(await addGeneration(place, deployed('a'))).toEqual({ kind: 'added', number: 1 })
    expect((await currentGeneration(place))?.number).toBe(1)
    rmSync(pointerFile(place))
    expect(await addGeneration(place, deployed('b'))).toEqual({ kind: 'added', number: 2 })
    rmSync(pointerFile(place))
    writeFileSync(join(place, 'generations/2/manifest'), 'damaged')
    expect(await addGeneration(place, deployed('b'))).toEqual({ kind: 'added', number: 3 })
  })

  test('adds one where something changed, and only there', async () => {
    expect(await addGeneration(place, deployed('a'))).toEqual({ kind: 'added', number: 1 })
    expect(await addGeneration(place, deployed('a', 'xml'))).toEqual({ kind: 'unchanged', number: 1 })
    expect(await addGeneration(place, deployed('b'))).toEqual({ kind: 'added', number: 2 })
    expect(await addGeneration(place, deployed('a'))).toEqual({ kind: 'added', number: 3 })
    expect(await generationNumbers(place)).toEqual([1, 2, 3])
    expect(await currentGeneration(place)).toMatchObject({ number: 3, text: deployed('a').text })
  })

  test('counts on from the last one, also when an earlier one is current', async () => {
    for (const profile of ['a', 'b']) await addGeneration(place, deployed(profile))
    writeFileSync(join(place, 'current'), '1\n')
    expect(await addGeneration(place, deployed('a'))).toEqual({ kind: 'unchanged', number: 1 })
    expect(await addGeneration(place, deployed('b'))).toEqual({ kind: 'added', number: 3 })
  })

  test.each([
    ['before it had its number', () => mkdirSync(join(place, 'generations', '.new', 'rubbish'), { recursive: true })],
    ['before it was current', () => writeGeneration(2, deployed('b').text)],
  ])('goes on after a run that was cut off %s', async (_, leave) => {
    await addGeneration(place, deployed('a'))
    leave()
    expect((await currentGeneration(place))?.number).toBe(1)
    const { number } = await addGeneration(place, deployed('c'))
    expect(await currentGeneration(place)).toMatchObject({ number, text: deployed('c').text })
    expect(readdirSync(join(place, 'generations', String(number)))).toEqual(['manifest', 'origin.json'])
    expect(readdirSync(join(place, 'generations'))).not.toContain('.new')
  })
})

describe('readMadeFrom()', () => {
  const madeFrom = { davit: '1', models: [{ file: '/m.yaml', bytes: 1, sha256: 'a', text: ' ' }] }

  test('is what the generation was added with, and stays as it was when another one is the same', async () => {
    await addGeneration(place, { ...deployed('a'), madeFrom })
    expect(await addGeneration(place, { ...deployed('a'), madeFrom: {} })).toEqual({ kind: 'unchanged', number: 1 })
    expect(await readMadeFrom(place, 1)).toEqual(madeFrom)
    expect(readdirSync(join(place, 'generations/1'))).toEqual(['made-from.json', 'manifest', 'origin.json'])
  })

  test('is nothing where nothing was kept, and an error where it is damaged, which does not concern the manifest', async () => {
    await addGeneration(place, deployed('a'))
    expect(await readMadeFrom(place, 1)).toBeUndefined()
    writeFileSync(join(place, 'generations/1/made-from.json'), '{')
    await expect(readMadeFrom(place, 1)).rejects.toMatchObject({ code: 'invalid-document' })
    expect(await currentGeneration(place)).toMatchObject({ number: 1 })
  })
})

function writeGeneration(number: number, text: string): void {
  const directory = join(place, 'generations', String(number))
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'manifest'), text)
}

describe('currentGeneration()', () => {
  test('is nothing where nothing was deployed', async () => {
    expect(await currentGeneration(place)).toBeUndefined()
    expect(await generationNumbers(place)).toEqual([])
  })

  test.each([
    ['is empty', ''],
    ['holds rubbish', '../1'],
    ['names what is not there', '7'],
  ])('is an error with a hint when the pointer %s', async (_, pointer) => {
    await addGeneration(place, deployed('a'))
    writeFileSync(join(place, 'current'), pointer)
    for (const read of [() => currentGeneration(place), () => addGeneration(place, deployed('b'))]) {
      await expect(read()).rejects.toMatchObject({ code: 'corrupt-state', exitStatus: 65, hint: expect.any(String) })
    }
    expect(await generationNumbers(place)).toEqual([1])
  })

  test('names the file of a manifest that nobody can read', async () => {
    await addGeneration(place, deployed('a'))
    writeGeneration(1, '{"document": "manif')
    await expect(currentGeneration(place)).rejects.toMatchObject({ code: 'invalid-document' })
  })
})

describe('state that somebody has written into', () => {
  test.each(['', 'x', '-1', '1.5', '1e3', '01', '99999999999999999999', '../1', '1\n2', '\u0000', '1'.repeat(16)])(
    'a pointer that holds %j is told',
    async (text) => {
      await addGeneration(place, deployed('a'))
      writeFileSync(join(place, 'current'), text)
      await expect(currentGeneration(place)).rejects.toMatchObject({ code: 'corrupt-state', exitStatus: 65 })
    },
  )

  test.each([
    ['bytes that are no text', Uint8Array.of(0xff, 0), 'not-text'],
    ['nothing', '', 'empty-document'],
    ['half of a manifest', deployed('a').text.slice(0, 40), 'invalid-document'],
  ])('a manifest that holds %s is told', async (_, content, code) => {
    await addGeneration(place, deployed('a'))
    writeFileSync(join(place, 'generations/1/manifest'), content)
    await expect(currentGeneration(place)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('1/manifest'),
    })
  })

  test('only numbers that are exact are generations', async () => {
    for (const name of ['0', '01', '2', '2x', '-3', '1e3', '99999999999999999999', '.new']) {
      mkdirSync(join(place, 'generations', name), { recursive: true })
    }
    expect(await generationNumbers(place)).toEqual([2])
    expect(await addGeneration(place, deployed('a'))).toEqual({ kind: 'added', number: 3 })
  })

  test('whatever the pointer and the manifest hold: a generation, or an error of ours', patience, async () => {
    await addGeneration(place, deployed('a'))
    const { text } = deployed('a')
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constant('1\n'), awkwardText), mutationsOf([text]), async (pointer, manifest) => {
        writeFileSync(join(place, 'current'), pointer)
        writeFileSync(join(place, 'generations/1/manifest'), manifest)
        const answer: unknown = await currentGeneration(place).catch((error: unknown) => error)
        expect(!(answer instanceof Error) || answer instanceof DavitError).toBe(true)
      }),
      runs(60),
    )
  })
})
