import { type Manifest, mappingIdOf, type ServiceKey } from '@davit/documents'
import { compareText } from '@davit/languages'
import { differencesOf, statusesOf } from '@davit/observation'
import type { Observation, ShellTarget } from '@davit/target'
import { coresOf } from '@davit/transition'

import { expectedOn } from './expected.ts'
import type { Instance } from './instance.ts'
import { type Answers, type Findings, instanceOfDamaged, instanceOfMissing, instanceOfRecord } from './instances.ts'
import { missingPaths } from './missing-paths.ts'
import { profileDrift } from './profile-drift.ts'
import type { ReadMachine } from './read-machine.ts'
import type { InventoryTerms } from './take-inventory.ts'
import type { TargetInventory } from './target-inventory.ts'

/** Makes the inventory of a target of what its machine has told, and of what it is asked now. */
export async function examine(
  target: ShellTarget,
  { observation, profiles, timeOf }: ReadMachine,
  terms: InventoryTerms,
): Promise<TargetInventory> {
  const { name } = target
  const own: Observation = {
    ...observation,
    records: observation.records.filter(({ mapping }) => mapping.target === name),
    damaged: observation.damaged.filter((one) => one.target === name),
  }
  const profile = profiles.get(name)
  const expected = expectedOn(name, profile, terms)
  const answers = terms.status ? await answersOf(target, { own, expected }, terms) : undefined
  const nameOf = (key: ServiceKey) => expected?.services.get(key)?.name
  const known: Findings = { observation: own, timeOf, nameOf, ...(answers === undefined ? {} : { answers }) }
  const wanted = { expected: terms.expected?.profiles.get(name), missing: answers?.missing ?? new Set() }
  return {
    target: name,
    ...(profile === undefined ? {} : { profile }),
    instances: instancesOn(expected, known).toSorted(byPlace),
    drift: answers === undefined ? [] : profileDrift(profile, wanted),
  }
}

interface Examined {
  readonly own: Observation
  readonly expected: Manifest | undefined
}

/** Asks for everything that may be otherwise than it should be. */
async function answersOf(
  target: ShellTarget,
  { own, expected }: Examined,
  { infrastructure, ...terms }: InventoryTerms,
): Promise<Answers> {
  const { machine } = target
  const [statuses, differences, missing] = await Promise.all([
    statusesOf(machine, own, { ...terms, coresOf: coresOf(infrastructure) }),
    expected === undefined
      ? new Map()
      : differencesOf(machine, own.records, { next: expected, previous: undefined, report: terms.report }),
    missingPaths(target, { ...terms, expected, records: own.records }),
  ])
  return { statuses, differences, missing, expected: new Set(expected?.serviceMappings.map(mappingIdOf)) }
}

function instancesOn(expected: Manifest | undefined, known: Findings): readonly Instance[] {
  const { records, damaged } = known.observation
  const found = [
    ...records.map((record) => instanceOfRecord(record, known)),
    ...damaged.map((record) => instanceOfDamaged(record, known)),
  ]
  if (known.answers === undefined || expected === undefined) return found
  const recorded = new Set([
    ...records.map(({ mapping }) => mappingIdOf(mapping)),
    ...damaged.map(({ target, container, key }) => mappingIdOf({ target, container, service: key })),
  ])
  const missing = expected.serviceMappings.filter((mapping) => !recorded.has(mappingIdOf(mapping)))
  return [...found, ...missing.map((mapping) => instanceOfMissing(mapping, expected))]
}

function byPlace(left: Instance, right: Instance): number {
  return (
    compareText(left.container, right.container) ||
    compareText(left.service, right.service) ||
    compareText(left.key, right.key)
  )
}
