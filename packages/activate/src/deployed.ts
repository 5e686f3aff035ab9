import type { Report } from '@davit/diagnostics'
import type { Manifest, ProfileName, TargetName } from '@davit/documents'
import {
  awaitActivity,
  definitionOf,
  isSamePlace,
  type Machine,
  observeMappings,
  type ObservedRecord,
  type ShellTarget,
} from '@davit/target'
import { observedOf } from '@davit/transition'

/** What is deployed now. */
export interface Deployed {
  readonly observed: readonly ObservedRecord[]
  /** Where each target of a mapping is, and what it is called there. */
  readonly places: ReadonlyMap<TargetName, ShellTarget>
  /** Those under whose names records were found on a machine that is called otherwise by now. */
  readonly renamed: readonly ShellTarget[]
}

export interface ObservationTerms {
  readonly profile: ProfileName
  readonly report: Report
  readonly signal: AbortSignal
  /** Whether activities of an earlier run that was cut off are waited for. */
  readonly running: 'wait' | 'tell'
}

/** What the targets' records say. */
export async function observeDeployment(targets: readonly ShellTarget[], terms: ObservationTerms): Promise<Deployed> {
  const places = placesByName(targets)
  const observed = new Array<ObservedRecord>()
  const machines = machinesOf(targets)
  const records = await Promise.all(machines.map((machine) => settledRecords(machine, terms)))
  for (const [index, machine] of machines.entries()) {
    for (const record of records[index] ?? []) observed.push(placed(record, machine, places))
  }
  const known = new Set<ShellTarget>(targets)
  return { observed, places, renamed: [...places.values()].filter((place) => !known.has(place)) }
}

/** The same for a manifest that is said to be active. */
export function deployedBy(
  old: Manifest,
  { targets, next }: { readonly targets: readonly ShellTarget[]; readonly next: Manifest },
): Deployed {
  const observed = observedOf(old, next.infrastructure).map((found) => ({
    ...found,
    definition: definitionOf(old, found.mapping),
    bootId: '',
  }))
  return { observed, places: placesByName(targets), renamed: [] }
}

function placesByName(targets: readonly ShellTarget[]): Map<TargetName, ShellTarget> {
  return new Map(targets.map((target) => [target.name, target]))
}

/**
 * The record, with a place for the target that it names. Another machine may have that name by now: then the target gets one
 * that no target can have, since what runs here must not be taken for what runs there.
 */
function placed(record: ObservedRecord, machine: Machine, places: Map<TargetName, ShellTarget>): ObservedRecord {
  const { target: name } = record.mapping
  const aliases = [name, `${name}@${machine.address}`, `${name}@${machine.address} (${machine.facts.bootId})`]
  for (const alias of aliases as TargetName[]) {
    const place = places.get(alias) ?? { name, machine }
    if (!isSamePlace(place.machine.facts, machine.facts)) continue
    places.set(alias, place)
    return { ...record, mapping: { ...record.mapping, target: alias } }
  }
  return record
}

/** One machine for all targets that are the same place. */
function machinesOf(targets: readonly ShellTarget[]): readonly Machine[] {
  const machines: Machine[] = []
  for (const { machine } of targets) {
    if (!machines.some(({ facts }) => isSamePlace(facts, machine.facts))) machines.push(machine)
  }
  return machines
}

async function settledRecords(machine: Machine, terms: ObservationTerms): Promise<readonly ObservedRecord[]> {
  const { profile, report, signal } = terms
  const records = await observeMappings(machine, profile)
  const running = terms.running === 'wait' ? records.filter((record) => record.running) : []
  if (running.length === 0) return records
  const endOf = ({ mapping, state, service }: ObservedRecord) => {
    const activity = state === 'deactivating' ? 'deactivate' : 'activate'
    const message = `waiting for what an earlier run has begun: ${activity} ${service.name} in ${mapping.container}`
    report({ kind: 'note', target: mapping.target, message })
    return awaitActivity(machine, { profile, mapping, activity })
  }
  await unlessAborted(Promise.all(running.map(endOf)), signal)
  return settledRecords(machine, terms)
}

/** Gives up the waiting, not what is waited for. */
async function unlessAborted(waiting: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    await Promise.race([waiting, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
