import { renderBytes } from '@davit/diagnostics'
import type { PlanDocument, PlanStep } from '@davit/documents'

import { countedRows, type Counts, countsOf, longestChain } from './summary.ts'

/** Sums up a plan in sentences. */
export function summaryLines(plan: PlanDocument): readonly string[] {
  const counts = countsOf(plan)
  return [
    actionsText(counts),
    ...(counts.profiles === 0 ? [] : [`${countOf(counts.profiles, 'profile')} to set`]),
    ...transferText(counts.transfers),
    ...chainText(longestChain(plan.steps)),
    ...(plan.skipped.length === 0 ? [] : [`not reached, and left alone: ${plan.skipped.join(', ')}`]),
  ]
}

/** `2 to activate, 1 to restart, on 3 targets` */
function actionsText({ keep, targets, profiles, ...counts }: Counts): string {
  const done = countedRows().flatMap(({ name, words }) => (counts[name] === 0 ? [] : [`${counts[name]} ${words}`]))
  const kept = keep === 0 ? [] : [`${keep} kept with changed settings`]
  if (targets === 0) return [profiles === 0 ? 'nothing to do' : 'no service changes', ...kept].join(', ')
  return [...(done.length === 0 ? ['other steps'] : done), ...kept, `on ${countOf(targets, 'target')}`].join(', ')
}

function transferText(transfers: Counts['transfers']): readonly string[] {
  if (transfers === undefined || transfers.targets === 0) return []
  const { bytes, paths, targets } = transfers
  return [`${renderBytes(bytes)} to send: ${countOf(paths, 'package')} to ${countOf(targets, 'target')}`]
}

const SHOWN = 6

/** One step is no chain. */
function chainText(chain: readonly PlanStep[]): readonly string[] {
  if (chain.length < 2) return []
  const names = chain.map(({ activity, service }) => `${activity} ${service}`)
  const middle = chain.length > SHOWN ? [`${chain.length - SHOWN + 1} more`] : []
  const shown = middle.length === 0 ? names : [...names.slice(0, SHOWN - 2), ...middle, ...names.slice(-1)]
  return [`longest chain: ${chain.length} steps: ${shown.join(' → ')}`]
}

function countOf(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
