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

/** What is deployed now, and the machine on which each target is found: also targets that have another name by now. */
export interface Deployed {
  readonly observed: readonly ObservedRecord[]
  readonly machines: ReadonlyMap<TargetName, Machine>
}

/** What the targets' records say, once nothing is running any more. */
export async function observeDeployment(
  targets: readonly ShellTarget[],
  profile: ProfileName,
  report: Report,
): Promise<Deployed> {
  const machines = machinesByName(targets)
  const observe = async (machine: Machine) => {
    const records = await settledRecords(machine, profile, report)
    for (const { mapping } of records) {
      if (!machines.has(mapping.target)) machines.set(mapping.target, machine)
    }
    return records
  }
  return { observed: (await Promise.all(placesOf(targets).map(observe))).flat(), machines }
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
  return { observed, machines: machinesByName(targets) }
}

function machinesByName(targets: readonly ShellTarget[]): Map<TargetName, Machine> {
  return new Map(targets.map(({ name, machine }) => [name, machine]))
}

/** One machine for all targets that are the same place. */
function placesOf(targets: readonly ShellTarget[]): readonly Machine[] {
  const places: Machine[] = []
  for (const { machine } of targets) {
    if (!places.some(({ facts }) => isSamePlace(facts, machine.facts))) places.push(machine)
  }
  return places
}

/** Waits for activities of an earlier run that was cut off. */
async function settledRecords(
  machine: Machine,
  profile: ProfileName,
  report: Report,
): Promise<readonly ObservedRecord[]> {
  const records = await observeMappings(machine, profile)
  const running = records.filter((record) => record.running)
  if (running.length === 0) return records
  const endOf = ({ mapping, state, service }: ObservedRecord) => {
    report({
      kind: 'note',
      target: mapping.target,
      message: `waiting for ${state} ${service.name}, begun by an earlier run`,
    })
    return awaitActivity(machine, { profile, mapping, activity: state === 'deactivating' ? 'deactivate' : 'activate' })
  }
  await Promise.all(running.map(endOf))
  return settledRecords(machine, profile, report)
}
