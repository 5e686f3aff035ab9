import { expect, test } from 'vitest'
import type { Isolation } from '@davit/isolation'
import { environment } from '@davit/process'
import { scratchDirectory } from '@davit/testing/scratch'
import { openNativeStore, type NativeStore } from '../src/store.ts'
import { build } from './package-specs.ts'
import { failureOf, instantiated, quietly } from './temporary-store.ts'

const NONE = { kind: 'none' } as const

function opened(directory: string, trustsBuilds: boolean, isolation: Isolation = NONE): Promise<NativeStore> {
  return openNativeStore({ directory, environment: environment(), isolation, trustsBuilds })
}

const strange = build('strange', 'echo strange >$out', { isFetched: true })
const own = build('own', 'echo own >$out')

test('realise() refuses builds from fetched stacks that are not isolated, inputs included, unless they are trusted', async () => {
  const directory = `${scratchDirectory()}/store`
  const store = await opened(directory, false)
  const [pkg, mine] = await instantiated(store, build('web', 'cp $strange $out', { inputs: { strange } }), own)
  const failure = store.realise([pkg!, mine!], quietly())
  await expect(failure).rejects.toMatchObject({
    code: 'untrusted-builds',
    hint: expect.stringContaining('--trust-builds'),
  })
  expect(await failureOf(store.realise([pkg!], quietly()))).toContain("the build of 'strange' comes from a stack")
  expect(await store.invalidPaths([pkg!.outPath, mine!.outPath])).toHaveLength(2)
  // Another process does not forget where they come from.
  await expect((await opened(directory, false)).realise([pkg!], quietly())).rejects.toMatchObject({
    code: 'untrusted-builds',
  })
  const [input] = await instantiated(store, strange)
  await (await opened(directory, true)).realise([input!, mine!], quietly())
  // The build would run programs of its input.
  await expect(store.realise([pkg!], quietly())).rejects.toMatchObject({ code: 'untrusted-builds' })
  await (await opened(directory, true)).realise([pkg!], quietly())
  // What is built need not be trusted again.
  await (await opened(directory, false)).realise([pkg!], quietly())
})

test('where a build comes from does not change it, and who writes it himself may run it', async () => {
  const directory = `${scratchDirectory()}/store`
  const store = await opened(directory, false)
  const [fetched] = await instantiated(store, strange)
  const [pkg] = await instantiated(store, { ...strange, isFetched: false })
  expect(pkg).toEqual(fetched)
  await store.realise([pkg!], quietly())
  expect(await store.invalidPaths([pkg!.outPath])).toEqual([])
})

test('a build that is named by a fetched stack and by the user in one run counts as fetched', async () => {
  const store = await opened(`${scratchDirectory()}/store`, false)
  const [pkg] = await instantiated(store, { ...strange, isFetched: true }, { ...strange, isFetched: false })
  await expect(store.realise([pkg!], quietly())).rejects.toMatchObject({ code: 'untrusted-builds' })
})
