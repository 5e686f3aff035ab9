import { renderBytes } from '@davit/diagnostics'
import type { PlanDocument, PlanStep } from '@davit/documents'

import { type Counts, countsOf, longestChain } from './summary.ts'

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
export function actionsText({
  activate,
  replace,
  restart,
  deactivate,
  moveState,
  keep,
  targets,
  profiles,
}: Counts): string {
  const counted: readonly (readonly [number, string])[] = [
    [activate, 'to activate'],
    [replace, 'to replace'],
    [restart, 'to restart'],
    [deactivate, 'to deactivate'],
    [moveState, 'whose state moves'],
  ]
  const done = counted.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]))
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
