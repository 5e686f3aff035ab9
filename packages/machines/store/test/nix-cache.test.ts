import { join } from 'node:path'
import type { ReportEvent } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { noPrivateNix, privateNixOfFile } from '@davit/testing/private-nix'
import { expect, test } from 'vitest'
import { instantiatedIn, nixStore, realisedIn } from './nix-packages.ts'
import { build } from './package-specs.ts'
import { quietly } from './temporary-store.ts'

const origin = privateNixOfFile()
const cache = join(origin.directory, 'cache')
const nix = privateNixOfFile({ settings: [`substituters = file://${cache}`, 'require-sigs = false'] })

function fillCache(...paths: readonly StorePath[]): void {
  const copy = 'cache=$1; shift; nix --extra-experimental-features nix-command copy --to "file://$cache" "$@"'
  origin.shell(copy, cache, ...paths)
}

test.skipIf(noPrivateNix)('what a cache has is fetched, and not built', async () => {
  const lib = build('lib', 'echo lib >$out')
  const tool = build('tool', 'echo $lib >$out', { inputs: { lib } })
  const other = build('other', 'echo other >$out')
  const web = build('web', 'echo $tool >$out', { inputs: { tool } })
  const [made, madeOther] = await realisedIn(await nixStore(origin), tool, other)
  fillCache(made!.outPath, madeOther!.outPath)

  const store = await nixStore(nix)
  const [package_, toolHere] = await instantiatedIn(store, web, tool, other)
  const unbuilt = await store.unbuilt([package_!, toolHere!])
  expect([...unbuilt.values()]).toMatchObject([{ name: 'web', waitsFor: [] }])
  expect(unbuilt.get(package_!.derivation!)!.requires).toContain(made!.outPath)
  expect(await store.invalidPaths([made!.outPath, package_!.outPath])).toStrictEqual([package_!.outPath])

  const events: ReportEvent[] = []
  await store.realise(
    [package_!, madeOther!],
    quietly((event) => events.push(event)),
  )
  const told = events.map((event) => ('step' in event ? `${event.kind} ${event.step}` : event.kind))
  expect(told.toSorted()).toStrictEqual([
    'finished build web',
    'finished fetch other',
    'started build web',
    'started fetch other',
  ])

  const [bare] = await realisedIn(await nixStore(origin), build('bare', 'echo bare >$out'))
  fillCache(bare!.outPath)
  await store.realise([{ outPath: bare!.outPath }], quietly())
  expect(await store.invalidPaths([bare!.outPath])).toStrictEqual([])
})
