import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { noSmallDisk, type SmallDisk, smallDisk } from '@davit/testing/small-disk'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { build } from './package-specs.ts'
import { failureOf, instantiated, leftovers, quietly, realised, temporaryStore, writeTree } from './temporary-store.ts'

describe.skipIf(noSmallDisk !== undefined)('on a full disk', () => {
  let disk: SmallDisk
  beforeAll(() => void (disk = smallDisk(4 * 1024 * 1024)))
  afterAll(() => disk.remove())
  beforeEach(() => disk.free())

  const open = () => temporaryStore({ kind: 'none' }, join(disk.directory, 'store'))
  const registered = () => readdirSync(join(disk.directory, 'store/.davit/registrations'))
  const LARGE = 'head -c 1000000 /dev/zero >$out'

  test.each([
    ['says so', LARGE],
    ['says nothing', `${LARGE} 2>/dev/null`],
  ])(
    'a build that needs more than there is and %s fails, leaves nothing, and succeeds when there is',
    async (_, script) => {
      const store = await open()
      const packages = await instantiated(store, build('large', script))
      const before = registered()
      disk.fill(400_000)
      expect(await failureOf(store.realise(packages, quietly()))).toMatch(
        /nothing more can be written there \(no space left/,
      )
      expect([registered(), leftovers(store)]).toEqual([before, []])
      disk.free()
      await store.realise(packages, quietly())
      expect(registered()).toHaveLength(before.length + 1)
    },
  )

  test('nothing is instantiated for which there is no space', async () => {
    const store = await open()
    const spec = build('other', 'cp $app/large $out', { sources: { app: writeTree({ large: 'x'.repeat(500_000) }) } })
    const before = registered()
    disk.fill(100_000)
    await expect(instantiated(store, spec)).rejects.toMatchObject({
      exitStatus: 73,
      message: expect.stringMatching(/^cannot copy the source '.*' to the store: no space left on the device$/),
    })
    expect(leftovers(store)).toEqual([])
    expect(registered()).toEqual(before)
    disk.free()
    const [pkg] = await realised(store, spec)
    expect(registered()).toContain(`${pkg?.outPath.split('/').at(-1)}.json`)
  })
})
