import {
  componentIn,
  type Manifest,
  type MappingId,
  mappingIdOf,
  type ServiceKey,
  type ServiceMapping,
  type TargetName,
} from '@davit/documents'
import { compareText } from '@davit/languages'
import { differencesOf, statusesOf } from '@davit/observation'
import type { CurrentProfile, Observation, ShellTarget } from '@davit/target'
import { coresOf } from '@davit/transition'

import type { TargetDrift } from './drift.ts'
import { expectedOn } from './expected.ts'
import type { Instance } from './instance.ts'
import { type Answers, type Findings, instanceOfDamaged, instanceOfMissing, instanceOfRecord } from './instances.ts'
import { profileDrift } from './profile-drift.ts'
import type { ReadMachine } from './read-machine.ts'
import type { InventoryTerms } from './take-inventory.ts'
import { unrecordedOn } from './unrecorded.ts'
import type { TargetInventory } from './target-inventory.ts'

/** Makes the inventory of a target of what its machine has told, and of what it is asked now. */
export async function examine(
  target: ShellTarget<'query'>,
  { observation, profiles, timeOf, missing, modules }: ReadMachine,
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
  const answers = terms.status ? await answersOf(target, { own, expected, missing, modules }, terms) : undefined
  const nameOf = (key: ServiceKey) => expected?.services.get(key)?.name
  const known: Findings = { observation: own, timeOf, nameOf, ...(answers === undefined ? {} : { answers }) }
  const wanted = { expected: terms.expected?.profiles.get(name), missing }
  return {
    target: name,
    ...(profile === undefined ? {} : { profile }),
    instances: instancesOn(expected, known).toSorted(byPlace),
    drift:
      answers === undefined ? [] : [...profileDrift(profile, wanted), ...originalDrift(own, { name, profile }, terms)],
  }
}

/** What Disnix has deployed in place of what davit knows. Its profiles have the names of their targets. */
function originalDrift(
  { originals, records }: Observation,
  { name, profile }: { readonly name: TargetName; readonly profile: CurrentProfile | undefined },
  { profile: deployment, infrastructure }: InventoryTerms,
): readonly TargetDrift[] {
  const path = originals.find((one) => one.profile === deployment)?.path
  if (path === undefined || (profile === undefined && records.length === 0)) return []
  const target = componentIn(path) as TargetName
  return target === name || !infrastructure.has(target) ? [{ kind: 'original-changed', path }] : []
}

interface Examined extends Pick<ReadMachine, 'missing' | 'modules'> {
  readonly own: Observation
  readonly expected: Manifest | undefined
}

/** Asks for everything that may be otherwise than it should be. */
async function answersOf(
  target: ShellTarget<'query'>,
  { own, expected, missing, modules }: Examined,
  { infrastructure, ...terms }: InventoryTerms,
): Promise<Answers> {
  const { machine } = target
  const paths = modules && new Map([...modules].map(([reference, { path }]) => [reference, path]))
  const absent = expected === undefined ? [] : withoutRecord(expected, own)
  const [statuses, unrecorded, differences] = await Promise.all([
    statusesOf(machine, own, { ...terms, coresOf: coresOf(infrastructure) }),
    expected === undefined || absent.length === 0
      ? new Set<MappingId>()
      : unrecordedOn(target, { mappings: absent, expected, modules }, terms),
    expected === undefined
      ? new Map()
      : differencesOf(machine, own.records, {
          next: expected,
          previous: undefined,
          report: terms.report,
          modules: paths,
        }),
  ])
  return { statuses, differences, missing, unrecorded, expected: new Set(expected?.serviceMappings.map(mappingIdOf)) }
}

function instancesOn(expected: Manifest | undefined, known: Findings): readonly Instance[] {
  const { records, damaged } = known.observation
  const found = [
    ...records.map((record) => instanceOfRecord(record, known)),
    ...damaged.map((record) => instanceOfDamaged(record, known)),
  ]
  const { answers } = known
  if (answers === undefined || expected === undefined) return found
  const missing = withoutRecord(expected, known.observation)
  return [...found, ...missing.map((mapping) => instanceOfMissing(mapping, expected, answers))]
}

function withoutRecord(expected: Manifest, { records, damaged }: Observation): readonly ServiceMapping[] {
  const recorded = new Set([
    ...records.map(({ mapping }) => mappingIdOf(mapping)),
    ...damaged.map(({ target, container, key }) => mappingIdOf({ target, container, service: key })),
  ])
  return expected.serviceMappings.filter((mapping) => !recorded.has(mappingIdOf(mapping)))
}

function byPlace(left: Instance, right: Instance): number {
  return (
    compareText(left.container, right.container) ||
    compareText(left.service, right.service) ||
    compareText(left.key, right.key)
  )
}
