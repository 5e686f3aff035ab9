import type { Report } from '@davit/diagnostics'
import {
  type Activity,
  type AnyActivity,
  isEmpty,
  type KindTable,
  planRollback,
  traitsOf,
  type Transition,
} from '@davit/transition'

import { say } from './messages.ts'
import type { ActivityFailure, TransitionOutcome } from './outcome.ts'
import { isLockLost, type Perform } from './perform.ts'
import { type PhaseOptions, type PhaseResult, runPhase } from './run-phase.ts'

export interface RunOptions<One extends AnyActivity = Activity> {
  readonly perform: Perform<One>
  readonly kinds: KindTable<One>
  /** How many activities may run at a time on a target. */
  readonly coresOf: (lane: string) => number
  readonly report: Report
  /** When it aborts, no activity starts any more, running ones are waited for, and then all is done as after a failure. */
  readonly signal: AbortSignal
  readonly rollback: 'rollback' | 'keep'
}

/**
 * Carries a transition out. After the first failure no activity starts, since it would only have to be undone; running ones are
 * waited for. The rollback itself cannot be interrupted, and continues after a failure with all that does not depend on it.
 */
export async function runTransition<One extends AnyActivity>(
  transition: Transition<One>,
  options: RunOptions<One>,
): Promise<TransitionOutcome<One>> {
  const { signal } = options
  const forward = await runPhases(transition, {
    ...options,
    mayStart: (failures) => failures.length === 0 && !signal.aborted,
  })
  if (forward.remaining.length === 0) return { kind: 'completed' }

  const incomplete = { failures: forward.failures, interrupted: signal.aborted }
  const unresolved = { rollbackFailures: [], remaining: forward.remaining, unknown: lostIn(forward.failures) }
  const lost = forward.failures.find(isLockLost)
  if (lost !== undefined) return { kind: 'lock-lost', ...incomplete, ...unresolved, error: lost.error }
  if (options.rollback === 'keep') return { kind: 'failed', ...incomplete, ...unresolved }
  const rollback = planRollback(transition, new Set(forward.begun.map(({ id }) => id)))
  return { ...(await rollBack(rollback, forward, options)), ...incomplete }
}

async function rollBack<One extends AnyActivity>(
  rollback: Transition<One>,
  forward: PhaseResult<One>,
  options: RunOptions<One>,
) {
  const { kinds, report } = options
  if (!isEmpty(rollback)) report(say('rolling-back'))
  const { begun, failures, remaining } = await runPhases(rollback, { ...options, mayStart: () => true })
  const unresolved = {
    rollbackFailures: failures,
    remaining,
    unknown: unknownOf(remaining, { begun, failures, undone: forward.failures, kinds }),
  }
  const lost = failures.find(isLockLost)
  if (lost !== undefined) return { kind: 'lock-lost', ...unresolved, error: lost.error } as const
  const missed = new Set(remaining.map((activity) => traitsOf(kinds, activity).missedUndo))
  const worst = (['new-services-left', 'old-services-lost'] as const).find((kind) => missed.has(kind))
  return worst === undefined ? ({ kind: 'rolled-back' } as const) : ({ kind: worst, ...unresolved } as const)
}

interface Rollback<One extends AnyActivity> {
  readonly begun: readonly One[]
  readonly failures: readonly ActivityFailure<One>[]
  /** Failures of the activities that are to be undone. */
  readonly undone: readonly ActivityFailure<One>[]
  readonly kinds: KindTable<One>
}

/**
 * Remaining activities of a rollback with an unknown result: those whose own outcome is unknown, and those that did not begin and
 * would undo an activity whose outcome is unknown.
 */
function unknownOf<One extends AnyActivity>(
  remaining: readonly One[],
  { begun, failures, undone, kinds }: Rollback<One>,
): readonly One[] {
  const aboutOf = (activity: One) => traitsOf(kinds, activity).about(activity)
  const lost = new Set(lostIn(failures))
  const known = new Set(begun)
  const doubtful = new Set(lostIn(undone).map(aboutOf))
  return remaining.filter((activity) => lost.has(activity) || (!known.has(activity) && doubtful.has(aboutOf(activity))))
}

/** Activities whose outcome is unknown. */
function lostIn<One extends AnyActivity>(failures: readonly ActivityFailure<One>[]): readonly One[] {
  return failures.filter(({ ending }) => ending === 'unknown').map(({ activity }) => activity)
}

/** Runs the phases one after the other; each starts when the one before it has succeeded as a whole. */
async function runPhases<One extends AnyActivity>(
  { phases }: Transition<One>,
  options: PhaseOptions<One>,
): Promise<PhaseResult<One>> {
  const begun: One[] = []
  for (const [index, phase] of phases.entries()) {
    const result = await runPhase(phase, options)
    begun.push(...result.begun)
    const { failures, remaining } = result
    if (remaining.length > 0) return { begun, failures, remaining: [...remaining, ...phases.slice(index + 1).flat()] }
  }
  return { begun, failures: [], remaining: [] }
}
