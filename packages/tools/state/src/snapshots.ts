import type { Infrastructure, Manifest, ProfileName } from '@davit/documents'
import { keptStores } from '@davit/state-runner'
import { listSnapshots, type Machine, type ShellTarget, targetsToUse } from '@davit/target'
import { defineTool, deploymentOf, type ToolContext, withTargets } from '@davit/tool'

import { listedSnapshots, renderSnapshots, type StoreOfTarget } from './listed-snapshot.ts'
import { say } from './messages.ts'
import { findManifest, readManifest } from './read-manifest.ts'
import { refuseWithoutStore, workOnStore } from './one-store.ts'
import { selectionOf } from './selection.ts'
import { description } from './snapshots-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    if (args.store !== undefined) return workOnStore(context, args.store)
    refuseWithoutStore(args)
    const { place } = deploymentOf(context)
    const read = args.where === 'coordinator' ? findManifest : readManifest
    const manifest = (await read(context, place))?.manifest
    const listed = listedSnapshots(await storesFor(context, manifest), selectionOf(args), manifest)
    if (args.format === 'json') await print(`${JSON.stringify(listed, undefined, 2)}\n`)
    else if (listed.length === 0) report(say('no-snapshots'))
    else await print(renderSnapshots(listed))
    return 0
  },
})

interface Arguments {
  readonly profile: string
  readonly where: 'targets' | 'coordinator' | 'both'
  readonly skipUnreachable: boolean
}

async function storesFor(context: ToolContext<Arguments>, manifest: Manifest | undefined) {
  const { args, report } = context
  const { profile } = deploymentOf(context)
  const none: Infrastructure = new Map()
  const infrastructure = args.where === 'coordinator' ? none : (manifest?.infrastructure ?? none)
  return withTargets(infrastructure, { ...context, role: 'state', manifests: [] }, async (reached, openHere) => {
    const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
    const [there, here] = await Promise.all([
      Promise.all(targets.map(storeOn)),
      args.where === 'targets' ? [] : storesHere(await openHere(), profile),
    ])
    return [...there, ...here]
  })
}

async function storeOn({ name, machine }: ShellTarget<'state'>): Promise<StoreOfTarget> {
  return { target: name, where: 'target', snapshots: await listSnapshots({ machine, place: `targets/${name}` }) }
}

async function storesHere(here: Machine<'state'>, profile: ProfileName): Promise<readonly StoreOfTarget[]> {
  const stores = keptStores(here, profile)
  return Promise.all(
    stores.map(async ({ target, store }) => ({ target, where: 'coordinator', snapshots: await listSnapshots(store) })),
  )
}
