import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Manifest, SnapshotMapping, TargetName } from '@davit/documents'
import type { StatefulService } from '@davit/transition'

import { say } from './messages.ts'
import type { Restoration } from './restore-tasks.ts'
import { componentOf, type StateScene } from './scene.ts'
import { listKept } from './stores.ts'
import { chooseSnapshot, type KeptComponent, namesWith, type WantedSnapshot } from './wanted-snapshot.ts'

/** An instance of a service, and the one whose state it takes over, if there is any. */
export interface Arrival {
  readonly to: StatefulService
  readonly from: StatefulService | undefined
}

interface Kept extends Arrival {
  /** Of this target, if anything is kept of it. */
  readonly preferred: TargetName | undefined
  readonly kept: readonly KeptComponent[]
}

/**
 * Chooses the snapshots to restore from those that the coordinator keeps: the newest of any target; but of the target from which the
 * state moved, if that is known, and of the same target for a service with several instances, each with its own state. Services without
 * one are left out, which is said, unless a certain one is wanted.
 */
export async function chooseRestorations(
  arrivals: readonly Arrival[],
  wanted: WantedSnapshot,
  scene: StateScene,
): Promise<readonly Restoration[]> {
  const all = await Promise.all(arrivals.map((one) => keptFor(one, scene)))
  if (wanted.kind === 'named') return namedRestorations(all, wanted.prefix)
  const found = all.map((one) => ({ ...one, restoration: restorationFor(one, wanted) }))
  const missing = found.filter(({ restoration }) => restoration === undefined).map(({ to }) => to)
  if (wanted.kind === 'at' && missing.length > 0) throw noneAt(wanted.text, missing)
  for (const { service, mapping } of missing) {
    scene.report(say('nothing-kept', { service: service.name, target: mapping.target }))
  }
  return found.flatMap(({ restoration }) => restoration ?? [])
}

async function keptFor({ to, from }: Arrival, { machines, profile, manifest }: StateScene): Promise<Kept> {
  const kept = from === undefined ? [] : await listKept(machines, profile, componentOf(from))
  const preferred = from?.mapping.target ?? (isRedundant(to, manifest) ? to.mapping.target : undefined)
  return { to, from, preferred, kept: kept.length > 0 ? kept : await listKept(machines, profile, componentOf(to)) }
}

function isRedundant({ mapping, component }: StatefulService, { snapshotMappings }: Manifest): boolean {
  const equal = (one: SnapshotMapping) => one.container === mapping.container && one.component === component
  return snapshotMappings.filter(equal).length > 1
}

function restorationFor({ to, preferred, kept }: Kept, wanted: WantedSnapshot): Restoration | undefined {
  const chosen = chooseSnapshot(kept, wanted, preferred)
  if (chosen === undefined) return undefined
  const { target, snapshot } = chosen
  return { to, target, component: { container: snapshot.container, component: snapshot.component }, snapshot }
}

/** The restorations with the snapshot whose name begins so, of one component. Redundant instances have the same state. */
function namedRestorations(all: readonly Kept[], prefix: string): readonly Restoration[] {
  const names = new Set(all.flatMap(({ kept }) => namesWith(kept, prefix)))
  const [name, another] = names
  if (name === undefined) throw noneNamed(prefix)
  if (another !== undefined) {
    const list = [...names].map((one) => one.slice(0, Math.max(16, prefix.length + 4))).join(', ')
    throw ambiguous(`'${prefix}' is the beginning of several snapshots`, `write more of the name: ${list}`)
  }
  const found = all.flatMap((one) => restorationFor(one, { kind: 'named', prefix: name }) ?? [])
  const components = new Set(found.map(({ to }) => `${to.mapping.container} ${to.component}`))
  if (components.size === 1) return found
  const places = [...new Set(found.map(({ to }) => `'${to.service.name}'`))].join(', ')
  throw ambiguous(`'${prefix}' is a snapshot of several components`, `select one of ${places} with -S, -c or -C`)
}

function ambiguous(message: string, hint: string): DavitError {
  return new DavitError('usage', message, { exitStatus: ExitStatus.usage, hint })
}

function noneNamed(prefix: string): DavitError {
  return new DavitError('no-snapshot', `this machine keeps no snapshot '${prefix}' of these services`, { hint: HINT })
}

function noneAt(time: string, missing: readonly StatefulService[]): DavitError {
  const names = missing.map(({ service, mapping }) => `'${service.name}' on '${mapping.target}'`).join(', ')
  return new DavitError('no-snapshot', `this machine keeps no snapshot as old as ${time} of ${names}`, { hint: HINT })
}

const HINT =
  "nothing was restored; 'davit-snapshots --where coordinator' lists what is kept, and 'davit-snapshot --transfer-only --all' brings what the targets have"
