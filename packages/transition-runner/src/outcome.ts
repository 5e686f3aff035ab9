import type { Activity } from '@davit/transition'

export interface ActivityFailure {
  readonly activity: Activity
  readonly message: string
  /** The end of what the activity printed. */
  readonly log?: string
  /** Whether it ended with a failure, did nothing at all, or nobody can say how it ended. */
  readonly ending: 'failed' | 'not-begun' | 'unknown'
  /** What `perform` rejected with. */
  readonly error?: unknown
}

export type TransitionOutcome =
  | { readonly kind: 'completed' }
  /** All that was active is, and nothing new is; what had been cut off before is gone, or still cut off. */
  | (Incomplete & { readonly kind: 'rolled-back' })
  /** Everything new is gone, and some of the old services could not be activated again. */
  | (Incomplete & Unresolved & { readonly kind: 'old-services-lost' })
  /** Something new could not be deactivated, therefore nothing old was activated again. */
  | (Incomplete & Unresolved & { readonly kind: 'new-services-left' })
  /** Left as it is without rollback; `remaining` is what still leads to the next manifest. */
  | (Incomplete & Unresolved & { readonly kind: 'failed' })
  /** The lock was lost: whatever comes next is up to its new owner. */
  | (Incomplete & Unresolved & { readonly kind: 'lock-lost'; readonly error: unknown })

interface Incomplete {
  /** Of the transition itself, in the order in which they happened; none after a mere interruption. */
  readonly failures: readonly ActivityFailure[]
  readonly interrupted: boolean
}

interface Unresolved {
  readonly rollbackFailures: readonly ActivityFailure[]
  /** Failed or not begun, of the rollback where there was one. */
  readonly remaining: readonly Activity[]
  /** Those of the remaining of which it is not known whether they are still to be done. */
  readonly unknown: readonly Activity[]
}
