import { existsSync } from 'node:fs'

import { DavitError, type Report } from '@davit/diagnostics'
import type { Manifest, Target, TargetName, System, StoreReference } from '@davit/documents'
import { openStore } from '@davit/store'
import { groupByMachine, type ShellTarget } from '@davit/target'
import { type Environment, withTargets } from '@davit/tool'

import { collect, type CollectionPlace } from './collect.ts'
import { say } from './messages.ts'
import { deleteOnCoordinator, deleteOnTarget, type OldGenerations, staysRoot } from './old-generations.ts'

export interface Collection {
  readonly reference: StoreReference
  /** Whose targets are collected as well. */
  readonly manifest: Manifest | undefined
  /** What is deleted before. */
  readonly old: OldGenerations | undefined
  readonly dryRun: boolean
  /** What is kept for a day. */
  readonly leftovers: 'keep' | 'collect'
  readonly environment: Environment
  readonly report: Report
  readonly signal: AbortSignal
  print(text: string): Promise<void>
}

/** The coordinator first; a machine that fails does not stop the others. */
export async function collectEverywhere(collection: Collection): Promise<void> {
  const { manifest, signal } = collection
  const infrastructure = new Map([[HERE, LOCAL], ...(manifest?.infrastructure ?? [])])
  await withTargets(infrastructure, { ...collection, role: 'collect' }, async (reached) => {
    if (collection.old !== undefined && !collection.dryRun) await deleteOnCoordinator(collection.old, collection)
    const failed = new Map<TargetName, DavitError>(reached.unreachable)
    for (const machine of groupByMachine(reached.targets.values())) {
      signal.throwIfAborted()
      await collectMachine(machine, collection).catch((error: unknown) => {
        if (!(error instanceof DavitError) || signal.aborted) throw error
        for (const { name } of machine) failed.set(name, error)
      })
    }
    fail(failed)
  })
}

/** No target has this name. */
const HERE = '' as TargetName
const LOCAL: Target = {
  system: '' as System,
  numOfCores: 1,
  clientInterface: 'local',
  targetProperty: 'hostname',
  properties: new Map(),
  containers: new Map(),
}

async function collectMachine(targets: readonly ShellTarget<'collect'>[], collection: Collection): Promise<void> {
  const { old, dryRun, report } = collection
  const named = targets.filter(({ name }) => name !== HERE)
  if (old !== undefined && !dryRun) {
    for (const target of named) {
      const count = await deleteOnTarget(old, target)
      if (count > 0) report(say('profile-generations-deleted', { target: target.name, count }))
    }
  }
  const place = await placeOf(targets, collection)
  if (place === undefined) return
  const names = named.map(({ name }) => name)
  await collect(place, { ...collection, ...(dryRun && old !== undefined ? { isRoot: staysRoot(old, names) } : {}) })
}

async function placeOf(
  targets: readonly ShellTarget<'collect'>[],
  { reference, environment, dryRun }: Collection,
): Promise<CollectionPlace | undefined> {
  const [first] = targets
  if (first === undefined) return undefined
  const { machine } = first
  if (first.name !== HERE) return { name: targets.map(({ name }) => name).join(', '), machine }
  const store = await openStore(reference, { environment })
  // Removes what the dead have left: builds, locks, and what was kept for a day.
  if (store.kind === 'native' && !dryRun && existsSync(reference.directory)) await store.protect([])
  return { name: 'the coordinator', machine, store }
}

function fail(failed: ReadonlyMap<TargetName, DavitError>): void {
  const [only, ...others] = [...failed]
  if (only === undefined) return
  if (others.length === 0 && only[0] === HERE) throw only[1]
  const errors = [...failed.values()]
  const names = [...failed.keys()].map(placeName)
  throw new DavitError('collection-failed', `cannot collect garbage on ${names.join(', ')}`, {
    exitStatus: Math.max(...errors.map(({ exitStatus }) => exitStatus)),
    hint: 'the others are done: the same command tries again',
    diagnostics: [...failed].map(([name, error]) => ({
      severity: 'error',
      message: `${placeName(name)}: ${error.message}`,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })),
  })
}

function placeName(name: TargetName): string {
  return name === HERE ? 'the coordinator' : `target '${name}'`
}
