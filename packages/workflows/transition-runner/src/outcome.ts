import type { Activity, AnyActivity } from '@davit/transition'

export interface ActivityFailure<One extends AnyActivity = Activity> {
  readonly activity: One
  readonly message: string
  /** The end of what the activity printed. */
  readonly log?: string
  /** Whether it ended with a failure, did nothing at all, or nobody can say how it ended. */
  readonly ending: 'failed' | 'not-begun' | 'unknown'
  /** What `perform` rejected with. */
  readonly error?: unknown
}

export type TransitionOutcome<One extends AnyActivity = Activity> =
  | { readonly kind: 'completed' }
  /** All that was active is, and nothing new is; what had been cut off before is gone, or still cut off. */
  | (Incomplete<One> & { readonly kind: 'rolled-back' })
  /** Everything new is gone, and some of the old services could not be activated again. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'old-services-lost' })
  /** Something new could not be deactivated, therefore nothing old was activated again. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'new-services-left' })
  /** Left as it is without rollback; `remaining` is what still leads to the next manifest. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'failed' })
  /** The lock was lost: whatever comes next is up to its new owner. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'lock-lost'; readonly error: unknown })

interface Incomplete<One extends AnyActivity> {
  /** Of the transition itself, in the order in which they happened; none after a mere interruption. */
  readonly failures: readonly ActivityFailure<One>[]
  readonly interrupted: boolean
}

interface Unresolved<One extends AnyActivity> {
  readonly rollbackFailures: readonly ActivityFailure<One>[]
  /** Failed or not begun, of the rollback where there was one. */
  readonly remaining: readonly One[]
  /** Those of the remaining of which it is not known whether they are still to be done. */
  readonly unknown: readonly One[]
}
