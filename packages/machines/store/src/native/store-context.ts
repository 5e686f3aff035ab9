import type { System } from '@davit/documents'
import { makeDirectories } from '@davit/files'
import type { Environment } from '@davit/process'
import { collectionGuard, type Undisturbed } from './collection-guard.ts'
import { type Commit, committer } from './committer.ts'
import { type Isolation, probeIsolation } from './isolation.ts'
import { openRegistry, type Registry } from './registry.ts'
import { storeLayout, type StoreLayout } from './store-layout.ts'
import { syncTrees } from './sync-trees.ts'
import { sweepLocks } from './store-lock.ts'
import { sweepWorkspaces } from './workspace.ts'

/** What the operations of a native store share. */
export interface StoreContext {
  readonly layout: StoreLayout
  /** The platform for which this machine builds. */
  readonly system: System
  readonly environment: Environment
  readonly registry: Registry
  readonly commit: Commit
  /** Runs work during which no garbage is collected. */
  readonly undisturbed: Undisturbed
  /** Makes the directories, and removes what dead processes have left. Call it before anything is written. */
  prepare(): Promise<void>
  isolation(): Promise<Isolation>
}

export interface StoreContextOptions {
  readonly directory: string
  readonly system: System
  readonly environment: Environment
  /** Isolation to use instead of the best that this machine allows. */
  readonly isolation?: Isolation
}

export function storeContext({ directory, system, environment, isolation }: StoreContextOptions): StoreContext {
  const layout = storeLayout(directory)
  const registry = openRegistry(layout)
  const undisturbed = collectionGuard(layout, () => registry.forget())
  const commit = committer({
    layout,
    registry,
    undisturbed,
    sync: (trees) => syncTrees(trees, directory, environment),
  })
  let preparation: Promise<void> | undefined
  let probe: Promise<Isolation> | undefined
  return {
    layout,
    system,
    environment,
    registry,
    commit,
    undisturbed,
    prepare: () => (preparation ??= prepareDirectories(layout, environment)),
    isolation: () => (probe ??= isolation === undefined ? probeIsolation(environment) : Promise.resolve(isolation)),
  }
}

async function prepareDirectories(layout: StoreLayout, environment: Environment): Promise<void> {
  for (const path of Object.values(layout)) makeDirectories(path)
  sweepWorkspaces(layout)
  await sweepLocks(layout, environment)
}
