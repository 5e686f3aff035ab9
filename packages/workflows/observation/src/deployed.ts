import type { Message } from '@davit/diagnostics'
import { type Manifest, mappingIdOf, type ServiceMapping, type TargetName } from '@davit/documents'
import {
  type ActivityDefinition,
  type DamagedRecord,
  definitionOf,
  type ForeignRecord,
  groupByMachine,
  isSamePlace,
  type Machine,
  machinesOf,
  type Observation,
  type ObservedRecord,
  type OriginalDeployment,
  type ShellTarget,
} from '@davit/target'
import { coresOf, type ObservedMapping, observedOf, type RecordedPlace, targetLabelOf } from '@davit/transition'

import { differencesOf } from './differences.ts'
import { doubtsOf } from './doubts.ts'
import { withInstalled } from './installed.ts'
import { say } from './messages.ts'
import { salvage, unusableMessage } from './salvage.ts'
import { settledObservation, type SettlingTerms } from './settled.ts'

export interface DeployedMapping extends ObservedMapping {
  readonly mapping: ServiceMapping
  /** Undefined only if the record is damaged and nothing else contains the definition. */
  readonly definition: ActivityDefinition | undefined
  /** Whether the service may still be locked by an earlier run. */
  readonly isLocked?: boolean
  /** Activities that its module declares. */
  readonly declared?: readonly string[]
  /** Whether only a client executable tells that it is active: it has no record yet. */
  readonly isInstalled?: boolean
}

/** What is deployed now. */
export interface Deployed {
  readonly observed: readonly DeployedMapping[]
  /** Machine of each target of a mapping, and the name of the target there, by label. */
  readonly places: ReadonlyMap<string, ShellTarget>
  /** Former names of targets under which records were found. */
  readonly renamed: readonly ShellTarget[]
  /** What other deployments have on the machines. */
  readonly neighbours: readonly Neighbour[]
  /** Deployments of Disnix on the machines that were not adopted. */
  readonly originals: readonly OriginalNeighbour[]
  /** Locks of Disnix, which is at work on the deployment, by target. */
  readonly originalLocks?: ReadonlyMap<TargetName, string>
  /** Targets whose machines know nothing of the deployment: it was never set there, or they have a new disk. */
  readonly blank: ReadonlySet<TargetName>
  /** Records from which nothing can be reconstructed; `warnings` name them. */
  readonly unusable: readonly DamagedRecord[]
  /** Targets whose client executables were asked what is active, and whose services have no records unless they are among `observed`. */
  readonly asked: readonly ShellTarget[]
  /** Warnings about what has to be dealt with by hand. */
  readonly warnings: readonly Message[]
}

export interface Neighbour {
  readonly machine: Machine
  readonly record: ForeignRecord
}

export interface OriginalNeighbour {
  readonly machine: Machine
  readonly original: OriginalDeployment
}

export interface ObservationTerms extends SettlingTerms {
  /** Last generation, which may contain what a damaged record has lost. */
  readonly previous: Manifest | undefined
}

/** Observes what is deployed: reads the records of the targets, and asks the modules of wanted services for their status. */
export async function observeDeployment(
  targets: readonly ShellTarget[],
  next: Manifest,
  terms: ObservationTerms,
): Promise<Deployed> {
  return withInstalled(await observeRecords(targets, next, terms), targets, { ...terms, next })
}

async function observeRecords(
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
  const unusable = observations.flatMap(({ damaged }) =>
    damaged.filter((record) => salvage(record, manifests) === undefined),
  )
  return {
    observed: observed.flat(),
    places,
    renamed: [...places.values()].filter((place) => !targets.includes(place)),
    neighbours: machines.flatMap((machine, index) =>
      (observations[index]?.foreign ?? []).map((record) => ({ machine, record })),
    ),
    ...originalsIn(targets, observations),
    blank: blankTargets(targets, observations, terms),
    unusable,
    asked: [],
    warnings: [
      ...unusable.map(unusableMessage),
      ...observations.flatMap(({ strange }) => strange.map((file) => say('not-a-record', { file }))),
    ],
  }
}

/** What Disnix has on the machines of targets. */
function originalsIn(
  targets: readonly ShellTarget[],
  observations: readonly Observation[],
): Pick<Deployed, 'originals' | 'originalLocks'> {
  const groups = groupByMachine(targets)
  const locks = groups.flatMap(([{ name }], index): [TargetName, string][] => {
    const lock = observations[index]?.originalLock
    return lock === undefined ? [] : [[name, lock]]
  })
  return {
    originals: groups.flatMap(([{ machine }], index) =>
      (observations[index]?.originals ?? []).map((original) => ({ machine, original })),
    ),
    originalLocks: new Map(locks),
  }
}

/** Targets whose machines know nothing of a deployment. The observations are those of the machines, in their order. */
function blankTargets(
  targets: readonly ShellTarget[],
  observations: readonly Observation[],
  { profile }: ObservationTerms,
): ReadonlySet<TargetName> {
  const isBlank = ({ profiles, records, damaged }: Observation) =>
    !profiles.includes(profile) && records.length === 0 && damaged.length === 0
  const blank = groupByMachine(targets).flatMap((group, index) => {
    const observation = observations[index]
    return observation !== undefined && isBlank(observation) ? group.map(({ name }) => name) : []
  })
  return new Set(blank)
}

/** What is deployed, given a manifest that is taken to be active. */
export function deployedBy(
  old: Manifest,
  { targets, next }: { readonly targets: readonly ShellTarget[]; readonly next: Manifest },
): Deployed {
  const observed = observedOf(old, next.infrastructure).map((found) => ({
    ...found,
    definition: definitionOf(old, found.mapping),
  }))
  return {
    observed,
    places: placesByName(targets),
    renamed: [],
    neighbours: [],
    originals: [],
    blank: new Set(),
    unusable: [],
    asked: [],
    warnings: [],
  }
}

interface JudgingTerms extends ObservationTerms {
  readonly next: Manifest
  readonly places: ReadonlyMap<string, ShellTarget>
}

/** Adds to records of wanted services the doubts and differences that speak against leaving them alone. */
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
    differencesOf(machine, judged.records, { next, previous: terms.previous, report: terms.report }),
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
 * Returns a mapping with a place for the target that it names. Another machine may have that name now, or even the same
 * address, and the services of the two must not be confused.
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
