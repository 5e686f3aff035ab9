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

/**
 * Finds reasons to doubt records with the state active. Modules that can report a status are asked; otherwise a service that was
 * activated before the machine was restarted counts as not running.
 */
export async function doubtsOf(
  machine: Machine,
  { bootId, records }: Observation,
  terms: DoubtTerms,
): Promise<ReadonlyMap<ObservedRecord, Doubt>> {
  const doubts = new Map<ObservedRecord, Doubt>()
  const doubted = records.filter(({ state, running }) => state === 'active' && !running)
  const before = (record: ObservedRecord) => record.bootId !== bootId
  const declaring = doubted.filter(({ declared }) => declared?.includes('status') === true)
  const toAsk = await withSecrets(machine, declaring, terms)
  for (const record of doubted) if (before(record)) doubts.set(record, 'rebooted')
  for (const [record, answer] of await unlessAborted(statusesOf(machine, toAsk, terms), terms.signal)) {
    if (answer === 'runs') doubts.delete(record)
    else if (answer === 'does-not-run' && !before(record)) doubts.set(record, 'died')
  }
  return doubts
}

/** Returns the records whose modules can be called, and reports those of which a secret cannot be resolved. */
async function withSecrets(
  machine: Machine,
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
async function statusesOf(
  machine: Machine,
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
