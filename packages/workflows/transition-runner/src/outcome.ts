import type { Activity, AnyActivity } from '@davit/transition'

export interface ActivityFailure<One extends AnyActivity = Activity> {
  readonly activity: One
  readonly message: string
  /** End of the output of the activity. */
  readonly log?: string
  /** Whether the activity failed, did not begin, or ended in a way that is unknown. */
  readonly ending: 'failed' | 'not-begun' | 'unknown'
  /** Error with which `perform` rejected. */
  readonly error?: unknown
}

export type TransitionOutcome<One extends AnyActivity = Activity> =
  | { readonly kind: 'completed' }
  /** The old services are active, and no new ones are; what had been cut off before is gone, or still cut off. */
  | (Incomplete<One> & { readonly kind: 'rolled-back' })
  /** All new services are gone, and some of the old ones could not be activated again. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'old-services-lost' })
  /** Some new services could not be deactivated, so no old ones were activated again. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'new-services-left' })
  /** Left as it is, without rollback; `remaining` lists what is still to be done to reach the next manifest. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'failed' })
  /** The lock was lost; its new owner decides what happens next. */
  | (Incomplete<One> & Unresolved<One> & { readonly kind: 'lock-lost'; readonly error: unknown })

interface Incomplete<One extends AnyActivity> {
  /** Failures of the transition itself, in the order in which they happened; empty after a mere interruption. */
  readonly failures: readonly ActivityFailure<One>[]
  readonly interrupted: boolean
}

interface Unresolved<One extends AnyActivity> {
  readonly rollbackFailures: readonly ActivityFailure<One>[]
  /** Activities that failed or did not begin; those of the rollback, if there was one. */
  readonly remaining: readonly One[]
  /** Remaining activities of which it is unknown whether they still have to be done. */
  readonly unknown: readonly One[]
}
