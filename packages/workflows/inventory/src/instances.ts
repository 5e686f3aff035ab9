import {
  type Manifest,
  type MappingId,
  mappingIdOf,
  type ServiceKey,
  type ServiceMapping,
  type StorePath,
} from '@davit/documents'
import { type Difference, doubtsIn } from '@davit/observation'
import type { DamagedRecord, Observation, ObservedRecord, ServiceStatus, StateTimes } from '@davit/target'
import { intendedIn } from '@davit/target-runtime'

import type { Drift } from './drift.ts'
import type { Instance } from './instance.ts'

/** What is known of a target. */
export interface Findings {
  readonly observation: Observation
  readonly timeOf: StateTimes
  /** Names of the services that should be there. */
  readonly nameOf: (key: ServiceKey) => string | undefined
  /** Absent if nothing was asked about how things are. */
  readonly answers?: Answers
}

export interface Answers {
  readonly statuses: ReadonlyMap<ObservedRecord, ServiceStatus>
  readonly differences: ReadonlyMap<ObservedRecord, Difference>
  /** Paths that are not valid on the target. */
  readonly missing: ReadonlySet<StorePath>
  /** Mappings that should be there. */
  readonly expected: ReadonlySet<MappingId>
  /** Mappings without a record whose modules report that they run. */
  readonly unrecorded: ReadonlySet<MappingId>
}

export function instanceOfRecord(record: ObservedRecord, { observation, timeOf, answers }: Findings): Instance {
  const { mapping, service, state, running, activity } = record
  const status = answers?.statuses.get(record)
  return {
    service: service.name,
    key: mapping.service,
    container: mapping.container,
    type: service.type,
    pkg: service.pkg,
    state,
    ...(running ? { activity: activity ?? 'unknown' } : {}),
    ...sinceIn(timeOf(mapping)),
    ...(status === undefined ? {} : { status }),
    drift: answers === undefined ? [] : driftOf(record, { observation, answers }),
  }
}

export function instanceOfDamaged(record: DamagedRecord, { timeOf, nameOf, answers }: Findings): Instance {
  const { target, container, key, state, problem, fields } = record
  const since = timeOf({ target, container, service: key })
  const named = { service: fields.service?.name ?? nameOf(key) ?? key, key, container, state }
  return { ...named, ...sinceIn(since), drift: answers === undefined ? [] : [{ kind: 'damaged', problem }] }
}

export function instanceOfMissing(mapping: ServiceMapping, expected: Manifest, { unrecorded }: Answers): Instance {
  const { service: key, container } = mapping
  const service = expected.services.get(key)
  const named = { service: service?.name ?? key, key, container }
  const described = service === undefined ? {} : { type: service.type, pkg: service.pkg }
  if (!unrecorded.has(mappingIdOf(mapping))) return { ...named, ...described, drift: [{ kind: 'missing' }] }
  return { ...named, ...described, status: 'runs', drift: [{ kind: 'unrecorded' }] }
}

function sinceIn(since: Date | undefined): Pick<Instance, 'since'> {
  return since === undefined ? {} : { since }
}

function driftOf(
  record: ObservedRecord,
  { observation, answers }: Required<Pick<Findings, 'observation' | 'answers'>>,
): readonly Drift[] {
  const { pkg } = record.service
  const doubt = doubtsIn({ ...observation, records: [record] }, answers.statuses).get(record)
  const reasons = answers.differences.get(record)?.changes ?? []
  const isExpected = answers.expected.has(mappingIdOf(record.mapping))
  return [
    ...unsettled(record),
    ...(doubt === undefined || doubt === 'damaged' ? silent(answers.statuses.get(record)) : [{ kind: doubt }]),
    ...(answers.missing.has(pkg) ? [{ kind: 'package-missing' as const, pkg }] : []),
    ...(reasons.length === 0 ? [] : [{ kind: 'changed' as const, reasons }]),
    ...(isExpected ? [] : [{ kind: 'unexpected' as const }]),
  ]
}

function silent(status: ServiceStatus | undefined): readonly Drift[] {
  return status === 'unknown' ? [{ kind: 'unknown' }] : []
}

function unsettled({ state, running, activity, hasFailed = false }: ObservedRecord): readonly Drift[] {
  const intended = intendedIn(state)
  if (intended === undefined || running) return []
  return [{ kind: hasFailed ? 'failed' : 'cut-off', activity: activity ?? intended }]
}
