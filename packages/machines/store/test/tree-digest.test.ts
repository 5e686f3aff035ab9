import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { environment } from '@davit/process'
import { scratchDirectory } from '@davit/testing/scratch'
import * as fc from 'fast-check'
import type { PackageTree } from '@davit/nix'
import { expect, test } from 'vitest'
import { addProfiles, writePackageTree } from '../src/native/add-package.ts'
import { storeContext } from '../src/native/store-context.ts'
import { digestPackage, digestTree } from '../src/native/tree-digest.ts'
import { currentSystem } from '../src/store.ts'

const name = fc.stringMatching(/^[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,6}$|^[ü~é]{1,3}$/)
const { tree } = fc.letrec<{ tree: PackageTree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.record({
      kind: fc.constant('file' as const),
      content: fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array()),
      executable: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('link' as const), to: fc.stringMatching(/^[a-z/.]{1,20}$/) }),
    fc.record({
      kind: fc.constant('directory' as const),
      entries: fc
        .uniqueArray(fc.tuple(name, tie('tree')), { maxLength: 5, selector: ([key]) => key })
        .map((entries) => new Map(entries)),
    }),
  ),
}))

test('a package has the same digest before it is written and on the disk', async () => {
  const place = join(scratchDirectory(), 'package')
  await fc.assert(
    fc.asyncProperty(tree, async (written) => {
      rmSync(place, { recursive: true, force: true })
      writePackageTree(place, written)
      expect(digestPackage(written)).toEqual(await digestTree(place))
    }),
  )
})

test('a package that is there is not written again', async () => {
  const directory = join(scratchDirectory(), 'store')
  const context = storeContext({ directory, system: currentSystem(environment()), environment: environment() })
  const contents = { name: 'web', packages: [], profileManifest: '<profilemanifest/>', modules: new Map() }
  const profiles = await addProfiles(context, [contents])
  const full = { ...context, layout: { ...context.layout, incoming: '/nowhere' } }
  expect(await addProfiles(full, [contents])).toEqual(profiles)
  await expect(addProfiles(full, [contents, { ...contents, name: 'other' }])).rejects.toThrow('/nowhere')
})
