import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { ProfileName, TargetName } from '@davit/documents'
import {
  type Component,
  COMPRESSORS,
  type Compressor,
  findSnapshot,
  listSnapshots,
  type Machine,
  type ShellTarget,
  type Snapshot,
  type SnapshotStore,
} from '@davit/target'

import type { KeptComponent } from './wanted-snapshot.ts'

/** Opens helpers for state, each machine once, when it is needed. */
export interface StateMachines {
  /** The machine of a target. */
  on(place: ShellTarget): Promise<Machine<'state'>>
  /** The coordinator. */
  here(): Promise<Machine<'state'>>
}

/** The store in which a target keeps its own snapshots. */
export async function storeOf(machines: StateMachines, place: ShellTarget): Promise<SnapshotStore> {
  return { machine: await machines.on(place), place: `targets/${place.name}` }
}

/** The store in which the coordinator keeps the snapshots of a target. */
export async function keptStore(
  machines: Pick<StateMachines, 'here'>,
  profile: ProfileName,
  target: TargetName,
): Promise<SnapshotStore> {
  return { machine: await machines.here(), place: `${keptPlace(profile)}/${target}` }
}

function keptPlace(profile: ProfileName): string {
  return `coordinator/${profile}/snapshots`
}

/** Lists what the coordinator keeps of a component, by the targets on which it was taken. */
export async function listKept(
  machines: Pick<StateMachines, 'here'>,
  profile: ProfileName,
  component: Component,
): Promise<readonly KeptComponent[]> {
  const { stateDirectory } = (await machines.here()).facts
  return Promise.all(
    targetsWithKept(stateDirectory, profile, component).map(async (target) => {
      const store = await keptStore(machines, profile, target)
      return { target, store, snapshots: await listSnapshots(store, component) }
    }),
  )
}

/** The stores in which the coordinator keeps snapshots of a deployment, by target. */
export function keptStores(
  here: Machine<'state'>,
  profile: ProfileName,
): readonly { readonly target: TargetName; readonly store: SnapshotStore }[] {
  const names = namesIn(join(here.facts.stateDirectory, keptPlace(profile))) as readonly TargetName[]
  return names.map((target) => ({ target, store: { machine: here, place: `${keptPlace(profile)}/${target}` } }))
}

export interface KeptSnapshot {
  readonly store: SnapshotStore
  readonly snapshot: Snapshot
}

/** Targets of which the coordinator has snapshots of a component. */
export function targetsWithKept(
  stateDirectory: string,
  profile: ProfileName,
  { container, component }: Component,
): readonly TargetName[] {
  const directory = join(stateDirectory, keptPlace(profile))
  const has = (target: string) =>
    namesIn(join(directory, target, 'dysnomia/generations', container, component)).length > 0
  return namesIn(directory).filter(has) as TargetName[]
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted()
  } catch {
    return []
  }
}

/** Finds the snapshot of a component that the coordinator got last, from whatever target. */
export async function findKept(
  machines: Pick<StateMachines, 'here'>,
  profile: ProfileName,
  component: Component,
): Promise<KeptSnapshot | undefined> {
  const { stateDirectory } = (await machines.here()).facts
  const kept = await Promise.all(
    targetsWithKept(stateDirectory, profile, component).map(async (target): Promise<KeptSnapshot | undefined> => {
      const store = await keptStore(machines, profile, target)
      const snapshot = await findSnapshot(store, component)
      return snapshot === undefined ? undefined : { store, snapshot }
    }),
  )
  const found = kept.filter((one) => one !== undefined)
  return found.toSorted((one, other) => takenOf(one).localeCompare(takenOf(other), 'en')).at(-1)
}

function takenOf({ snapshot }: KeptSnapshot): string {
  return snapshot.facts.taken ?? ''
}

/** The best compressor that all machines have. */
export function commonCompressor(machines: readonly Pick<Machine<'state'>, 'facts'>[]): Compressor | 'none' {
  return COMPRESSORS.find((one) => machines.every(({ facts }) => facts.compressors.includes(one))) ?? 'none'
}
