import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { encodeDocument, Manifest, type ProfileName } from '@davit/documents'
import { scratchDirectory } from '@davit/testing/scratch'
import { beforeEach, describe, expect, test } from 'vitest'

import {
  addGeneration,
  beginRollback,
  currentGeneration,
  currentNumber,
  deleteAllGenerations,
  deleteGenerations,
  deploymentPlace,
  finishRollback,
  generationNumbers,
  generationRoot,
  isRollbackRecorded,
  nextRollback,
  readGeneration,
  switchGeneration,
} from '../src/coordinator-state.ts'
import { previousNumber } from '../src/generations.ts'
import type { DeletedGeneration } from '../src/delete-generations.ts'

let state: string
let place: string
const origin = { time: new Date('2026-11-20T10:00:00Z'), user: 'alice', host: 'coordinator' }

beforeEach(() => {
  state = scratchDirectory()
  place = deploymentPlace(state, 'default' as ProfileName)
})

/** Makes a manifest; manifests differ by their store. */
function deployed(name: string) {
  const manifest: Manifest = {
    store: { kind: 'native', directory: `/store/${name}` },
    profiles: new Map(),
    services: new Map(),
    infrastructure: new Map(),
    serviceMappings: [],
    snapshotMappings: [],
  }
  return { manifest, text: encodeDocument(Manifest, manifest, 'json'), origin }
}

const add = async (...names: readonly string[]) => {
  for (const name of names) await addGeneration(place, deployed(name))
}

describe('returning to a generation', () => {
  test('goes one back each time, and a deployment counts on', async () => {
    await add('a', 'b', 'c')
    for (const expected of [2, 1]) {
      expect(await previousNumber(place)).toBe(expected)
      expect(await switchGeneration(place, expected)).toBe('switched')
      expect(await currentGeneration(place)).toMatchObject({ number: expected })
    }
    await expect(previousNumber(place)).rejects.toMatchObject({
      message: 'cannot roll back: there is no generation before the current one (1)',
      exitStatus: 1,
    })
    expect(await generationNumbers(place)).toEqual([1, 2, 3])
    await add('d')
    expect(await currentNumber(place)).toBe(4)
    expect(await previousNumber(place)).toBe(3)
  })

  test('keeps its destination when it was cut off, and goes one further back once it is finished', async () => {
    await add('a', 'b', 'c', 'd')
    expect(await isRollbackRecorded(place)).toBe(false)
    expect(await nextRollback(place)).toEqual({ to: 3, isUnfinished: false })
    expect(await beginRollback(place)).toEqual({ to: 3, isUnfinished: false })
    expect(await beginRollback(place)).toEqual({ to: 3, isUnfinished: true })
    await switchGeneration(place, 3)
    expect(await nextRollback(place)).toEqual({ to: 3, isUnfinished: true })
    expect(await beginRollback(place)).toEqual({ to: 3, isUnfinished: true })
    expect(await isRollbackRecorded(place)).toBe(true)
    await finishRollback(place)
    expect(await isRollbackRecorded(place)).toBe(false)
    expect(await nextRollback(place)).toEqual({ to: 2, isUnfinished: false })
  })

  test('that is finished leaves one that somebody else has begun since', async () => {
    await add('a', 'b', 'c')
    await beginRollback(place)
    await switchGeneration(place, 2)
    // The lock is free by now.
    await add('d')
    await beginRollback(place)
    await finishRollback(place)
    await switchGeneration(place, 3)
    expect(await nextRollback(place)).toEqual({ to: 3, isUnfinished: true })
  })

  test.each([
    ['something else was deployed since', async () => add('e'), 4],
    ['its generation was deleted', async () => deleteGenerations(place, [3], async () => {}), 2],
    ['what was remembered is damaged', async () => writeFileSync(join(place, 'rollback'), '4 x\n'), 3],
  ])('is a new rollback when %s', async (_, happen, to) => {
    await add('a', 'b', 'c', 'd')
    await beginRollback(place)
    await happen()
    expect(await nextRollback(place)).toEqual({ to, isUnfinished: false })
  })

  test('lists the existing generations when it does not exist', async () => {
    await expect(previousNumber(place)).rejects.toMatchObject({ code: 'no-generation' })
    await add('a')
    await expect(previousNumber(place)).rejects.toMatchObject({ hint: 'there is only generation 1' })
    await add('b')
    await expect(switchGeneration(place, 7)).rejects.toMatchObject({
      message: 'there is no generation 7',
      hint: 'there are generations 1, 2; davit-env --switch-to-generation accepts any of them',
    })
    expect(await switchGeneration(place, 2)).toBe('unchanged')
    expect(await currentNumber(place)).toBe(2)
  })

  test('states when and by whom each was made, or the time of its file if that was not recorded', async () => {
    await add('a', 'b')
    expect((await readGeneration(place, 1)).origin).toEqual(origin)
    const directory = join(place, 'generations/2')
    const time = new Date('2026-01-02T03:04:05Z')
    utimesSync(join(directory, 'manifest'), time, time)
    for (const text of ['', '{', '{"time": "x", "user": 7}', 'null']) {
      writeFileSync(join(directory, 'origin.json'), text)
      expect((await readGeneration(place, 2)).origin).toEqual({ time, user: '', host: '' })
    }
    rmSync(join(directory, 'origin.json'))
    expect((await readGeneration(place, 2)).origin).toEqual({ time, user: '', host: '' })
  })
})

describe('deleteGenerations()', () => {
  let released: DeletedGeneration[]
  beforeEach(() => {
    released = []
  })
  const release = async (deleted: DeletedGeneration) => void released.push(deleted)

  test('deletes them, and releases their packages', async () => {
    await add('a', 'b', 'c')
    await deleteGenerations(place, [1, 2], release)
    expect(await generationNumbers(place)).toEqual([3])
    expect(readdirSync(join(place, 'generations'))).toEqual(['3'])
    expect(released.map(({ number, root, text }) => [number, root, text])).toEqual([
      [1, generationRoot(place, 1), deployed('a').text],
      [2, generationRoot(place, 2), deployed('b').text],
    ])
    expect(await currentGeneration(place)).toMatchObject({ number: 3 })
  })

  test('one that was cut off is completed by the next, and spares a new generation with its number', async () => {
    await add('a', 'b', 'c')
    const generations = join(place, 'generations')
    for (const number of [1, 2]) renameSync(join(generations, `${number}`), join(generations, `.deleted-${number}`))
    mkdirSync(join(generations, '2'))
    writeFileSync(join(generations, '2/manifest'), deployed('d').text)
    await deleteGenerations(place, [], release)
    expect(released.map(({ number, root }) => [number, root])).toEqual([
      [1, generationRoot(place, 1)],
      [2, undefined],
    ])
    expect(readdirSync(generations)).toEqual(['2', '3'])
  })

  test('when it cannot release the packages, the next one does', async () => {
    await add('a', 'b')
    const failing = () => Promise.reject(new Error('the disk is full'))
    await expect(deleteGenerations(place, [1], failing)).rejects.toThrow('the disk is full')
    expect(await generationNumbers(place)).toEqual([2])
    await deleteGenerations(place, [], release)
    expect(released.map(({ number }) => number)).toEqual([1])
  })

  test('leaves one that has become the current one', async () => {
    await add('a', 'b')
    writeFileSync(join(place, 'current'), '1\n')
    await expect(deleteGenerations(place, [1], release)).rejects.toMatchObject({ code: 'current-generation' })
    expect(await generationNumbers(place)).toEqual([1, 2])
    expect(released).toEqual([])
  })

  test('the last one: its number is never used again', async () => {
    await add('a', 'b', 'c')
    await switchGeneration(place, 1)
    await deleteGenerations(place, [2, 3], release)
    expect(await addGeneration(place, deployed('d'))).toEqual({ kind: 'added', number: 4 })
    await switchGeneration(place, 1)
    await deleteGenerations(place, [4], release)
    expect(await addGeneration(place, deployed('e'))).toEqual({ kind: 'added', number: 5 })
  })

  test('all: the deployment is forgotten, and another one begins', async () => {
    await add('a', 'b')
    expect(await deleteAllGenerations(place, release)).toEqual([1, 2])
    expect(await currentGeneration(place)).toBeUndefined()
    expect(await generationNumbers(place)).toEqual([])
    await add('c')
    expect(readFileSync(join(place, 'current'), 'utf8')).toBe('1\n')
  })

  test('deployments whose names begin alike are strangers', async () => {
    const other = deploymentPlace(state, 'default-b' as ProfileName)
    await add('a', 'b')
    await addGeneration(other, deployed('a'))
    expect(generationRoot(other, 1)).not.toBe(generationRoot(place, 1))
    await deleteAllGenerations(place, release)
    expect(await currentNumber(other)).toBe(1)
  })
})
