import type { Report } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import { askStatus, type Machine, type Observation, type ObservedRecord } from '@davit/target'
import type { Doubt } from '@davit/transition'

import { say } from './messages.ts'
import { unlessAborted } from './unless-aborted.ts'

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
  const toAsk = doubted.filter(({ declared }) => declared?.includes('status') === true)
  for (const record of doubted) if (before(record)) doubts.set(record, 'rebooted')
  const ask = async (record: ObservedRecord) => {
    const answer = await statusOf(machine, record, terms)
    if (answer === 'runs') doubts.delete(record)
    else if (answer === 'does-not-run' && !before(record)) doubts.set(record, 'died')
  }
  await unlessAborted(eachWithin(toAsk, { coresOf: terms.coresOf, run: ask }), terms.signal)
  return doubts
}

async function statusOf(machine: Machine, { mapping, service }: ObservedRecord, terms: DoubtTerms) {
  const { profile, report, timeoutSeconds = STATUS_SECONDS } = terms
  const seconds = Math.min(timeoutSeconds, STATUS_SECONDS)
  const answer = await askStatus(machine, { profile, mapping, timeoutSeconds: seconds })
  if (answer === 'unknown') {
    report(say('status-unknown', { target: mapping.target, service: service.name, seconds }))
  }
  return answer
}

interface Lanes {
  readonly coresOf: (target: TargetName) => number
  readonly run: (record: ObservedRecord) => Promise<void>
}

/** Runs for each record, as many at a time as each target has cores. */
async function eachWithin(records: readonly ObservedRecord[], { coresOf, run }: Lanes): Promise<void> {
  const targets = new Set(records.map(({ mapping }) => mapping.target))
  await Promise.all(
    [...targets].flatMap((target) => {
      const left = records.filter(({ mapping }) => mapping.target === target).values()
      const work = async () => {
        for (const record of left) await run(record)
      }
      return Array.from({ length: Math.max(1, coresOf(target)) }, work)
    }),
  )
}
