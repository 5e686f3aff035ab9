import { DavitError } from '@davit/diagnostics'
import type { Infrastructure, Manifest, TargetName } from '@davit/documents'
import { keptStores } from '@davit/state-runner'
import { listSnapshots, type ReachedTargets, type ShellTarget, type SnapshotStore, targetsToUse } from '@davit/target'
import { defineTool, deploymentOf, type ToolContext, trustToLook, withTargets } from '@davit/tool'

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
    const { stores, failures } = await storesFor(context, manifest)
    const listed = listedSnapshots(stores, selectionOf(args), manifest)
    for (const { target, where, error } of failures)
      report(say('snapshots-unknown', { target, where: PLACES[where], reason: error.message }))
    if (args.format === 'json') await print(`${JSON.stringify(listed, undefined, 2)}\n`)
    else if (listed.length > 0) await print(renderSnapshots(listed))
    else if (failures.length === 0) report(say('no-snapshots'))
    return Math.max(0, ...failures.map(({ error }) => error.exitStatus))
  },
})

interface Arguments {
  readonly profile: string
  readonly where: 'targets' | 'coordinator' | 'both'
  readonly skipUnreachable: boolean
  readonly trustPrograms: boolean
}

const PLACES = { target: 'on it', coordinator: 'of it on this machine' } as const

/** A store that could not be read. */
interface UnreadStore extends Pick<StoreOfTarget, 'target' | 'where'> {
  readonly error: DavitError
}

interface ReadStores {
  readonly stores: readonly StoreOfTarget[]
  readonly failures: readonly UnreadStore[]
}

/** Reads all stores; what one of them says, or does not, is a failure of that one. */
async function storesFor(context: ToolContext<Arguments>, manifest: Manifest | undefined): Promise<ReadStores> {
  const { args, signal } = context
  const { profile } = deploymentOf(context)
  const none: Infrastructure = new Map()
  const infrastructure = args.where === 'coordinator' ? none : (manifest?.infrastructure ?? none)
  const trust = await trustToLook(context)
  return withTargets(infrastructure, { ...context, role: 'state', manifests: [], trust }, async (reached, openHere) => {
    const targets = reachedIn(reached, context)
    const failures: UnreadStore[] = targets.unreachable.map(([target, error]) => ({ target, where: 'target', error }))
    const read = async ({ target, where, store }: StoreToRead): Promise<readonly StoreOfTarget[]> => {
      try {
        return [{ target, where, snapshots: await listSnapshots(store) }]
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof DavitError)) throw error
        failures.push({ target, where, error })
        return []
      }
    }
    const there = targets.reached.map(({ name: target, machine }): StoreToRead => ({
      target,
      where: 'target',
      store: { machine, place: `targets/${target}` },
    }))
    const here = args.where === 'targets' ? [] : keptStores(await openHere(), profile)
    const kept = here.map((one): StoreToRead => ({ ...one, where: 'coordinator' }))
    const stores = (await Promise.all([...there, ...kept].map(read))).flat()
    return { stores, failures: failures.toSorted((one, other) => (one.target < other.target ? -1 : 1)) }
  })
}

interface StoreToRead extends Pick<StoreOfTarget, 'target' | 'where'> {
  readonly store: SnapshotStore
}

interface Reached {
  readonly reached: readonly ShellTarget<'state'>[]
  readonly unreachable: readonly (readonly [TargetName, DavitError])[]
}

function reachedIn(all: ReachedTargets<'state'>, { args, report }: ToolContext<Arguments>): Reached {
  if (args.skipUnreachable) return { reached: targetsToUse(all, { unreachable: 'skip', report }), unreachable: [] }
  return { reached: [...all.targets.values()], unreachable: [...all.unreachable] }
}
