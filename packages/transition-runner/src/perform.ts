import { DavitError, type Report } from '@davit/diagnostics'
import { type Activity, stepOf } from '@davit/transition'

import type { ActivityFailure } from './outcome.ts'

export type PerformOutcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly message: string; readonly log?: string }
  /** For certain: nothing has reached its machine. */
  | { readonly kind: 'not-begun'; readonly message: string }

/**
 * Rejects only where the outcome is unknown, as when a connection is lost; with a DavitError `lock-lost` nothing was begun, and
 * it stops everything.
 */
export type Perform = (activity: Activity) => Promise<PerformOutcome>

/** Performs and reports one activity; nothing when it succeeded. */
export async function attempt(
  activity: Activity,
  { perform, report }: { readonly perform: Perform; readonly report: Report },
): Promise<ActivityFailure | undefined> {
  const { id, kind, mapping, service } = activity
  const subject = { kind, service: service.name, container: mapping.container }
  const event = { id, target: mapping.target, step: stepOf(activity), activity: subject }
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

export function isLockLost({ error }: ActivityFailure): boolean {
  return isLoss(error)
}

function isLoss(error: unknown): boolean {
  return error instanceof DavitError && error.code === 'lock-lost'
}

async function failureOf(activity: Activity, perform: Perform): Promise<ActivityFailure | undefined> {
  try {
    const outcome = await perform(activity)
    if (outcome.kind === 'succeeded') return undefined
    const { kind: ending, ...rest } = outcome
    return { activity, ending, ...rest }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { activity, ending: isLoss(error) ? 'not-begun' : 'unknown', message, error }
  }
}
