import { relative } from 'node:path'
import type { System } from '@davit/documents'
import { makeDirectories } from '@davit/files'
import { type Isolation, pathsIn, probeIsolation } from '@davit/isolation'
import type { Environment } from '@davit/process'
import { collectionGuard, type Undisturbed } from './collection-guard.ts'
import { type Commit, committer } from './committer.ts'
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
  /** Whether builds from fetched stacks may run where they are not isolated. */
  readonly trustsBuilds: boolean
  /** Returns further paths that builds see. */
  buildPaths(): readonly string[]
}

export interface StoreContextOptions {
  readonly directory: string
  readonly system: System
  readonly environment: Environment
  /** Isolation to use instead of the best that this machine allows. */
  readonly isolation?: Isolation
  readonly trustsBuilds?: boolean | undefined
}

export function storeContext(options: StoreContextOptions): StoreContext {
  const { directory, system, environment, isolation, trustsBuilds = false } = options
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
  const buildPaths = () => pathsIn(environment, keptFromBuilds(directory, environment))
  let probe: Promise<Isolation> | undefined
  const found = () => {
    const reach = { directory, name: relative(directory, layout.incoming) }
    return probeIsolation(environment, { reach, paths: buildPaths() })
  }
  return {
    layout,
    system,
    environment,
    registry,
    commit,
    undisturbed,
    prepare: () => (preparation ??= prepareDirectories(layout, environment)),
    isolation: () => (probe ??= isolation === undefined ? found() : Promise.resolve(isolation)),
    trustsBuilds,
    buildPaths,
  }
}

/** Places of whoever runs davit that no path for builds may contain. */
function keptFromBuilds(directory: string, environment: Environment): readonly (string | undefined)[] {
  const { HOME, TMPDIR, DAVIT_STATE_DIR, DAVIT_CONNECT, XDG_STATE_HOME, XDG_RUNTIME_DIR } = environment
  return [directory, HOME, TMPDIR, DAVIT_STATE_DIR, DAVIT_CONNECT, XDG_STATE_HOME, XDG_RUNTIME_DIR]
}

async function prepareDirectories(layout: StoreLayout, environment: Environment): Promise<void> {
  for (const path of Object.values(layout)) makeDirectories(path)
  sweepWorkspaces(layout)
  await sweepLocks(layout, environment)
}
