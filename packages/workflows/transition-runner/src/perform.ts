import { hasCode, type Report } from '@davit/diagnostics'
import { type Activity, type AnyActivity, type KindTable, traitsOf } from '@davit/transition'

import type { ActivityFailure } from './outcome.ts'

export type PerformOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly message: string; readonly log?: string }
  /** Certainly not begun: nothing reached its machine. */
  | { readonly kind: 'not-begun'; readonly message: string }

/**
 * Performs an activity. Rejects only if the outcome is unknown, as when a connection is lost, or with a DavitError `lock-lost`,
 * which means that the activity did not begin, and stops everything.
 */
export type Perform<One extends AnyActivity = Activity> = (activity: One) => Promise<PerformOutcome>

export interface AttemptOptions<One extends AnyActivity> {
  readonly perform: Perform<One>
  readonly kinds: KindTable<One>
  readonly report: Report
}

/** Performs and reports one activity; returns its failure, if any. */
export async function attempt<One extends AnyActivity>(
  activity: One,
  { perform, kinds, report }: AttemptOptions<One>,
): Promise<ActivityFailure<One> | undefined> {
  const { id, kind } = activity
  const traits = traitsOf(kinds, activity)
  const subject = { kind, ...traits.subject(activity) }
  const event = { id, target: traits.target(activity), step: traits.step(activity), activity: subject }
  report({ kind: 'started', ...event })
  const failure = await failureOf(activity, perform)
  if (failure === undefined) {
    report({ kind: 'finished', ...event })
    return undefined
  }
  const log = failure.log === undefined ? {} : { log: failure.log }
  report({ kind: 'failed', ...event, message: failure.message, ...log })
  return failure
}

export function isLockLost({ error }: Pick<ActivityFailure, 'error'>): boolean {
  return hasCode(error, 'lock-lost')
}

async function failureOf<One extends AnyActivity>(
  activity: One,
  perform: Perform<One>,
): Promise<ActivityFailure<One> | undefined> {
  try {
    const outcome = await perform(activity)
    if (outcome.kind === 'succeeded') return undefined
    const { kind: ending, ...rest } = outcome
    return { activity, ending, ...rest }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { activity, ending: hasCode(error, 'lock-lost') ? 'not-begun' : 'unknown', message, error }
  }
}
