import { existsSync } from 'node:fs'

import { DavitError, type Report } from '@davit/diagnostics'
import type { StoreReference, TargetName } from '@davit/documents'
import { openStore } from '@davit/store'
import { groupByMachine, isSamePlace, type Machine, type ReachedTargets, type ShellTarget } from '@davit/target'

import { collect, type CollectionPlace } from './collect.ts'
import { say } from './messages.ts'
import { deleteOnCoordinator, deleteOnTarget, type OldGenerations, staysRoot } from './old-generations.ts'

export interface Collection {
  readonly reference: StoreReference
  /** Generations to delete first. */
  readonly old: OldGenerations | undefined
  readonly dryRun: boolean
  /** Whether to collect what is otherwise kept for a day. */
  readonly leftovers: 'keep' | 'collect'
  readonly environment: Readonly<Record<string, string>>
  readonly report: Report
  readonly signal: AbortSignal
  print(text: string): Promise<void>
}

/**
 * Collects garbage on the coordinator, then on the targets; a machine that fails does not stop the others. `openHere` connects to
 * the coordinator itself.
 */
export async function collectEverywhere(
  { targets, unreachable }: ReachedTargets<'collect'>,
  openHere: () => Promise<Machine<'collect'>>,
  collection: Collection,
): Promise<void> {
  const { old, dryRun, signal } = collection
  if (old !== undefined && !dryRun) await deleteOnCoordinator(old, collection)
  const failures: Failure[] = [...unreachable].map(([name, error]) => ({ place: placeName(name), error }))
  const attempt = async <Result>(places: readonly string[], work: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof DavitError)) throw error
      failures.push(...places.map((place) => ({ place, error })))
      return undefined
    }
  }
  const here = await attempt([COORDINATOR], openHere())
  for (const site of sitesOf(here, [...targets.values()])) {
    signal.throwIfAborted()
    const names = site.targets.map(({ name }) => placeName(name))
    await attempt(site.isCoordinator ? [COORDINATOR, ...names] : names, collectSite(site, collection))
  }
  fail(failures)
}

const COORDINATOR = 'the coordinator'

function placeName(name: TargetName): string {
  return `target '${name}'`
}

/** One machine, with its targets: the coordinator may be one of them, or none. */
interface Site {
  readonly machine: Machine<'collect'>
  readonly targets: readonly ShellTarget<'collect'>[]
  readonly isCoordinator: boolean
}

interface Failure {
  readonly place: string
  readonly error: DavitError
}

function sitesOf(here: Machine<'collect'> | undefined, targets: readonly ShellTarget<'collect'>[]): readonly Site[] {
  const isHere = ({ machine }: ShellTarget<'collect'>) => here !== undefined && isSamePlace(machine.facts, here.facts)
  const others = groupByMachine(targets.filter((target) => !isHere(target)))
  return [
    ...(here === undefined ? [] : [{ machine: here, targets: targets.filter(isHere), isCoordinator: true }]),
    ...others.map((group) => ({ machine: group[0].machine, targets: group, isCoordinator: false })),
  ]
}

async function collectSite(site: Site, collection: Collection): Promise<void> {
  const { old, dryRun } = collection
  if (old !== undefined) await deleteOld(site, old, collection)
  const names = site.targets.map(({ name }) => name)
  const isRoot = dryRun && old !== undefined ? { isRoot: staysRoot(old, names) } : {}
  await collect(await placeOf(site, collection), { ...collection, ...isRoot })
}

async function deleteOld(
  { machine, targets }: Site,
  old: OldGenerations,
  { dryRun, report }: Collection,
): Promise<void> {
  for (const target of dryRun ? [] : targets) {
    // One after the other, as each holds the machine.
    // oxlint-disable-next-line no-await-in-loop
    const count = await deleteOnTarget(old, target)
    if (count > 0) report(say('profile-generations-deleted', { target: target.name, count }))
  }
  if (machine.client === undefined) return
  const where = targets.map(({ name }) => name).join(', ')
  report(say('client-profiles-kept', { where, profile: old.profile }))
}

async function placeOf(
  { machine, targets, isCoordinator }: Site,
  { reference, environment, dryRun }: Collection,
): Promise<CollectionPlace> {
  if (!isCoordinator) return { name: targets.map(({ name }) => name).join(', '), machine }
  const store = await openStore(reference, { environment })
  // Removes what dead processes have left, such as builds and locks, and protections that have expired.
  if (store.kind === 'native' && !dryRun && existsSync(reference.directory)) await store.protect([])
  return { name: COORDINATOR, machine, store }
}

function fail(failures: readonly Failure[]): void {
  const [only, ...others] = failures
  if (only === undefined) return
  if (others.length === 0 && only.place === COORDINATOR) throw only.error
  const names = failures.map(({ place }) => place)
  throw new DavitError('collection-failed', `cannot collect garbage on ${names.join(', ')}`, {
    exitStatus: Math.max(...failures.map(({ error }) => error.exitStatus)),
    hint: 'the others are done; the same command tries again',
    diagnostics: failures.map(({ place, error }) => ({
      severity: 'error',
      message: `${place}: ${error.message}`,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })),
  })
}
