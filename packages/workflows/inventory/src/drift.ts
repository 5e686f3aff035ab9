import type { StorePath } from '@davit/documents'
import { type Reason, renderReason } from '@davit/transition'

import type { Inventory } from './target-inventory.ts'

/** How an instance of a service differs from what should be there. */
export type Drift =
  /** Recorded as active, but its module reports that it does not run. */
  | { readonly kind: 'died' }
  /** Its module could not be asked, or has not answered in time. */
  | { readonly kind: 'unknown' }
  /** Activated before the machine was restarted, and no module reports that it runs. */
  | { readonly kind: 'rebooted' }
  /** An activity was cut off, or failed and was not undone. */
  | { readonly kind: 'cut-off' | 'failed'; readonly activity: string }
  | { readonly kind: 'damaged'; readonly problem: string }
  /** Its package is not on the machine any more. */
  | { readonly kind: 'package-missing'; readonly pkg: StorePath }
  /** It has other settings than the manifest says, under the same key. */
  | { readonly kind: 'changed'; readonly reasons: readonly Reason[] }
  /** It should be there, and has no record. */
  | { readonly kind: 'missing' }
  /** It runs, and has no record. */
  | { readonly kind: 'unrecorded' }
  /** It has a record, and should not be there. */
  | { readonly kind: 'unexpected' }

/** How a target differs from what should be there, apart from its services. */
export type TargetDrift =
  | { readonly kind: 'other-profile'; readonly found: StorePath | undefined; readonly expected: StorePath }
  | { readonly kind: 'bad-profile'; readonly problem: string }
  | { readonly kind: 'profile-missing'; readonly path: StorePath }
  /** Disnix has deployed since davit has adopted its deployment, or has set its profile. */
  | { readonly kind: 'original-changed'; readonly path: StorePath }

/** Text of a drift for people. */
export function driftText(drift: Drift): string {
  switch (drift.kind) {
    case 'cut-off':
      return `${drift.activity} was cut off`
    case 'failed':
      return `${drift.activity} failed`
    case 'damaged':
      return `its record is damaged: ${drift.problem}`
    case 'package-missing':
      return `its package ${drift.pkg} is missing`
    case 'changed':
      return drift.reasons.map((reason) => renderReason(reason, 'to')).join(', ')
    default:
      return TEXTS[drift.kind]
  }
}

const TEXTS = {
  died: 'does not run',
  unknown: 'nobody could tell whether it runs',
  rebooted: 'the machine was restarted since it was activated',
  missing: 'not active, although it is deployed',
  unrecorded: 'runs, although nothing is recorded of it',
  unexpected: 'active, although it is not deployed',
}

/** Text of what is wrong with a target, for people. */
export function targetDriftText(drift: TargetDrift): string {
  switch (drift.kind) {
    case 'other-profile':
      return `its profile is ${drift.found ?? 'missing'} instead of ${drift.expected}`
    case 'bad-profile':
      return drift.problem
    case 'profile-missing':
      return `its profile ${drift.path} is missing, or something that it needs`
    case 'original-changed':
      return `Disnix has deployed ${drift.path}, which davit has not adopted`
  }
}

/** Whether anything is not as it should be. */
export function isDrifted({ targets }: Inventory): boolean {
  return targets.some(({ drift, instances }) => drift.length > 0 || instances.some((one) => one.drift.length > 0))
}
