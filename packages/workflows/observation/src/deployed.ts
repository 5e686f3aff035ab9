import type { Message } from '@davit/diagnostics'
import { type Manifest, mappingIdOf, type ServiceMapping, type TargetName } from '@davit/documents'
import {
  type ActivityDefinition,
  definitionOf,
  type ForeignRecord,
  isSamePlace,
  type Machine,
  machinesOf,
  type Observation,
  type ObservedRecord,
  type ShellTarget,
} from '@davit/target'
import { coresOf, type ObservedMapping, observedOf, type RecordedPlace, targetLabelOf } from '@davit/transition'

import { differencesOf } from './differences.ts'
import { doubtsOf } from './doubts.ts'
import { say } from './messages.ts'
import { salvage, unusable } from './salvage.ts'
import { settledObservation, type SettlingTerms } from './settled.ts'

export interface DeployedMapping extends ObservedMapping {
  readonly mapping: ServiceMapping
  /** Only where a record is damaged, it may have to do without. */
  readonly definition: ActivityDefinition | undefined
}

/** What is deployed now. */
export interface Deployed {
  readonly observed: readonly DeployedMapping[]
  /** Where each target of a mapping is, and what it is called there, by its label. */
  readonly places: ReadonlyMap<string, ShellTarget>
  /** Those under whose names records were found on a machine that is called otherwise by now. */
  readonly renamed: readonly ShellTarget[]
  /** What other deployments have on the machines. */
  readonly neighbours: readonly Neighbour[]
  /** What has to be looked after by hand. */
  readonly warnings: readonly Message[]
}

export interface Neighbour {
  readonly machine: Machine
  readonly record: ForeignRecord
}

export interface ObservationTerms extends SettlingTerms {
  /** The last generation: it may know what a damaged record does not say any more. */
  readonly previous: Manifest | undefined
}

/** What the targets' records say, and their modules of what is wanted. */
export async function observeDeployment(
  targets: readonly ShellTarget[],
  next: Manifest,
  terms: ObservationTerms,
): Promise<Deployed> {
  const places = placesByName(targets)
  const machines = machinesOf(targets)
  const observations = await Promise.all(machines.map((machine) => settledObservation(machine, terms)))
  const manifests = [next, ...(terms.previous === undefined ? [] : [terms.previous])]
  const observed = await Promise.all(
    machines.map(async (machine, index) => {
      const observation = observations[index]
      if (observation === undefined) return []
      const salvaged = observation.damaged.flatMap((record) => salvage(record, manifests) ?? [])
      const judged = await judgedRecords(machine, observation, { ...terms, next, places })
      return [...judged, ...salvaged].map((one) => placed(one, machine, places))
    }),
  )
  const known = new Set<ShellTarget>(targets)
  return {
    observed: observed.flat(),
    places,
    renamed: [...places.values()].filter((place) => !known.has(place)),
    neighbours: machines.flatMap((machine, index) =>
      (observations[index]?.foreign ?? []).map((record) => ({ machine, record })),
    ),
    warnings: observations.flatMap(({ damaged, strange }) => [
      ...damaged.filter((record) => salvage(record, manifests) === undefined).map(unusable),
      ...strange.map((file) => say('not-a-record', { file })),
    ]),
  }
}

/** The same for a manifest that is said to be active. */
export function deployedBy(
  old: Manifest,
  { targets, next }: { readonly targets: readonly ShellTarget[]; readonly next: Manifest },
): Deployed {
  const observed = observedOf(old, next.infrastructure).map((found) => ({
    ...found,
    definition: definitionOf(old, found.mapping),
  }))
  return { observed, places: placesByName(targets), renamed: [], neighbours: [], warnings: [] }
}

interface JudgingTerms extends ObservationTerms {
  readonly next: Manifest
  readonly places: ReadonlyMap<string, ShellTarget>
}

/** Records, with what speaks against leaving them alone where they are wanted. */
async function judgedRecords(
  machine: Machine,
  observation: Observation,
  { next, places, ...terms }: JudgingTerms,
): Promise<readonly DeployedMapping[]> {
  const wanted = new Set(next.serviceMappings.map(mappingIdOf))
  const isWanted = ({ mapping }: ObservedRecord) => {
    const place = places.get(mapping.target)
    return wanted.has(mappingIdOf(mapping)) && place !== undefined && isSamePlace(place.machine.facts, machine.facts)
  }
  const judged = { ...observation, records: observation.records.filter(isWanted) }
  const [doubts, differences] = await Promise.all([
    doubtsOf(machine, judged, { ...terms, coresOf: coresOf(next.infrastructure) }),
    differencesOf(machine, judged.records, { next, previous: terms.previous }),
  ])
  return observation.records.map((record) => {
    const doubt = doubts.get(record)
    return { ...record, ...(doubt === undefined ? {} : { doubt }), ...differences.get(record) }
  })
}

function placesByName(targets: readonly ShellTarget[]): Map<string, ShellTarget> {
  return new Map<string, ShellTarget>(targets.map((target) => [target.name, target]))
}

/**
 * The mapping, with a place for the target that it names. Another machine may have that name by now, or even be reached at the
 * same address: what runs here must not be taken for what runs there.
 */
function placed(observed: DeployedMapping, machine: Machine, places: Map<string, ShellTarget>): DeployedMapping {
  for (const recordedAs of possiblePlaces(observed.mapping.target, machine)) {
    const one = { ...observed, recordedAs }
    const label = targetLabelOf(one)
    const place = places.get(label) ?? { name: observed.mapping.target, machine }
    if (!isSamePlace(place.machine.facts, machine.facts)) continue
    places.set(label, place)
    return one
  }
  return observed
}

function possiblePlaces(target: TargetName, { address, facts }: Machine): readonly (RecordedPlace | undefined)[] {
  return [undefined, { target, machine: address }, { target, machine: `${address} (${facts.bootId})` }]
}
