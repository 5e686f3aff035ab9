import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { encodeDocument, Manifest, type ProfileName } from '@davit/documents'
import { noSmallDisk, type SmallDisk, smallDisk } from '@davit/testing/small-disk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { addGeneration, currentGeneration, deploymentPlace, generationNumbers } from '../src/coordinator-state.ts'

describe.skipIf(noSmallDisk !== undefined)('on a full disk', () => {
  let disk: SmallDisk
  beforeAll(() => void (disk = smallDisk(1024 * 1024)))
  afterAll(() => disk.remove())

  const deployed = (name: string) => {
    const manifest: Manifest = {
      store: { kind: 'native', directory: `/store/${name}` },
      profiles: new Map(),
      services: new Map(),
      infrastructure: new Map(),
      serviceMappings: [],
      snapshotMappings: [],
    }
    const origin = { time: new Date('2026-11-20T10:00:00Z'), user: 'alice', host: 'coordinator' }
    // Trailing white space makes it larger than the space left.
    return { manifest, text: encodeDocument(Manifest, manifest, 'json') + ' '.repeat(50_000), origin }
  }

  test.each([0, 1, 2, 3, 4])('with room for %i files it says that there is no space', async (files) => {
    const place = deploymentPlace(disk.directory, `among-${files}` as ProfileName)
    disk.fillFiles(files)
    await expect(addGeneration(place, deployed('first'))).rejects.toThrow(/no space left/i)
    disk.free()
    expect(await addGeneration(place, deployed('first'))).toEqual({ kind: 'added', number: 1 })
  })

  test.each([0, 4096, 8192, 40_000])(
    'with %i bytes left no generation is added, the current one counts on, and the next attempt succeeds',
    async (left) => {
      const place = deploymentPlace(disk.directory, `with-${left}` as ProfileName)
      await addGeneration(place, deployed('first'))
      disk.fill(left)
      await expect(addGeneration(place, deployed('second'))).rejects.toThrow(/no space left/i)
      expect(await generationNumbers(place)).toEqual([1])
      expect(readdirSync(join(place, 'generations'))).toEqual(['1'])
      expect((await currentGeneration(place))?.manifest.store.directory).toBe('/store/first')
      disk.free()
      expect(await addGeneration(place, deployed('second'))).toEqual({ kind: 'added', number: 2 })
    },
  )
})
