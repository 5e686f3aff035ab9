import type { Report } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import { unlessAborted } from '@davit/process'
import {
  askStatuses,
  type Machine,
  type Observation,
  type ObservedRecord,
  type ServiceStatus,
  unresolvedOf,
} from '@davit/target'
import { isUp } from '@davit/target-runtime'
import type { Doubt } from '@davit/transition'

import { say } from './messages.ts'

/** How long a module may take to report a status. */
const STATUS_SECONDS = 30

export interface DoubtTerms {
  readonly profile: ProfileName
  readonly report: Report
  readonly signal: AbortSignal
  readonly timeoutSeconds?: number | undefined
  /** How many modules may be asked at a time on a target. */
  readonly coresOf: (target: TargetName) => number
}

/** Finds reasons to doubt records of services that should be up. */
export async function doubtsOf(
  machine: Machine<'deploy' | 'query'>,
  observation: Observation,
  terms: DoubtTerms,
): Promise<ReadonlyMap<ObservedRecord, Doubt>> {
  return doubtsIn(observation, await statusesOf(machine, observation, terms))
}

/**
 * Finds reasons to doubt records, given what the modules of some report; otherwise a service that was activated before the machine was
 * restarted counts as not running.
 */
export function doubtsIn(
  { bootId, records }: Observation,
  statuses: ReadonlyMap<ObservedRecord, ServiceStatus>,
): ReadonlyMap<ObservedRecord, Doubt> {
  return new Map(
    records.filter(isAtRest).flatMap((record): readonly (readonly [ObservedRecord, Doubt])[] => {
      const status = statuses.get(record)
      if (status === 'runs') return []
      if (record.bootId !== bootId) return [[record, 'rebooted']]
      return status === 'does-not-run' ? [[record, 'died']] : []
    }),
  )
}

function isAtRest({ state, running }: ObservedRecord): boolean {
  return isUp(state) && !running
}

/** Asks the modules of active services that can report a status; it is `unknown` of one that cannot be asked without a secret. */
export async function statusesOf(
  machine: Machine<'deploy' | 'query'>,
  { records }: Observation,
  terms: DoubtTerms,
): Promise<ReadonlyMap<ObservedRecord, ServiceStatus>> {
  const declaring = records.filter((one) => isAtRest(one) && one.declared?.includes('status') === true)
  const toAsk = await withSecrets(machine, declaring, terms)
  const answers = await unlessAborted(askedStatuses(machine, toAsk, terms), terms.signal)
  const known = new Map(answers.flatMap(([record, answer]) => (answer === undefined ? [] : [[record, answer]])))
  return new Map(declaring.map((record) => [record, known.get(record) ?? 'unknown']))
}

/** Returns the records whose modules can be called, and reports those of which a secret cannot be resolved. */
async function withSecrets(
  machine: Machine<'deploy' | 'query'>,
  records: readonly ObservedRecord[],
  { report }: DoubtTerms,
): Promise<readonly ObservedRecord[]> {
  const found = await Promise.all(
    records.map(async (record) => {
      const reasons = await unresolvedOf(record, machine.secrets)
      for (const reason of reasons) report(say('status-without-secret', { target: record.mapping.target, reason }))
      return reasons.length === 0 ? [record] : []
    }),
  )
  return found.flat()
}

/** Asks the modules, all those of a target together. */
async function askedStatuses(
  machine: Machine<'deploy' | 'query'>,
  records: readonly ObservedRecord[],
  { profile, report, coresOf, timeoutSeconds = STATUS_SECONDS }: DoubtTerms,
): Promise<readonly (readonly [ObservedRecord, ServiceStatus | undefined])[]> {
  const seconds = Math.min(timeoutSeconds, STATUS_SECONDS)
  const targets = [...new Set(records.map(({ mapping }) => mapping.target))]
  const statuses = targets.map(async (target) => {
    const asked = records.filter(({ mapping }) => mapping.target === target)
    const mappings = asked.map(({ mapping }) => mapping)
    const limits = { atATime: coresOf(target), timeoutSeconds: seconds }
    const definitions = asked.map(({ definition }) => definition)
    const answers = await askStatuses(machine, { profile, target, mappings, definitions, ...limits })
    return asked.map((record, index) => [record, answers[index]] as const)
  })
  const answered = (await Promise.all(statuses)).flat()
  for (const [{ mapping, service }, answer] of answered) {
    if (answer === 'unknown') report(say('status-unknown', { target: mapping.target, service: service.name, seconds }))
  }
  return answered
}
