import { currentGeneration } from '@davit/coordinator-state'
import { type Infrastructure, type Manifest, storeOf } from '@davit/documents'
import type { Selection } from '@davit/selection'

import { onSelected, selectionIn } from './selection-in.ts'
import type { StateOwner } from './state-directory.ts'
import type { TargetSource } from './target-source.ts'
import { deploymentOf } from './deployment-of.ts'

/** A manifest that knows targets, and nothing of services. */
export function manifestOfTargets(infrastructure: Infrastructure): Manifest {
  const nothing = { profiles: new Map(), services: new Map(), serviceMappings: [], snapshotMappings: [] }
  return { ...nothing, infrastructure, store: storeOf(undefined) }
}

interface Owner extends StateOwner {
  readonly args: { readonly profile: string; readonly on: readonly string[] }
}

/** The targets of a source on which `--on` selects something; all of them without it. */
export async function onSelectedTargets(
  { infrastructure, expected }: TargetSource,
  context: Owner,
): Promise<Infrastructure> {
  return onSelected(infrastructure, await selectionFor(expected ?? manifestOfTargets(infrastructure), context))
}

/** What `--on` selects of a manifest and of the current generation; undefined without it. */
export async function selectionFor(manifest: Manifest, context: Owner): Promise<Selection | undefined> {
  const { on } = context.args
  if (on.length === 0) return undefined
  // A generation that cannot be read concerns others.
  const current = await currentGeneration(deploymentOf(context).place).catch(() => undefined)
  return selectionIn([manifest, ...(current === undefined ? [] : [current.manifest])], on)
}
