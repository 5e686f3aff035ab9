import type { Report } from '@davit/diagnostics'
import { mappingIdOf, type TargetName } from '@davit/documents'
import { type Activity, isEmpty, planRollback, type Transition } from '@davit/transition'

import type { ActivityFailure, TransitionOutcome } from './outcome.ts'
import { isLockLost, type Perform } from './perform.ts'
import { type PhaseOptions, type PhaseResult, runPhase } from './run-phase.ts'

export interface RunOptions {
  readonly perform: Perform
  /** How many activities may run at a time on a target. */
  readonly coresOf: (target: TargetName) => number
  readonly report: Report
  /** Aborted: nothing new starts, what runs is waited for, and then it is as after a failure. */
  readonly signal: AbortSignal
  readonly rollback: 'rollback' | 'keep'
}

/**
 * Carries a transition out. With the first failure nothing new starts, since it would only have to be undone; what runs
 * is waited for. The rollback itself cannot be interrupted, and goes on after a failure with all that does not depend on it.
 */
export async function runTransition(transition: Transition, options: RunOptions): Promise<TransitionOutcome> {
  const { signal } = options
  const forward = await runPhases(transition, {
    ...options,
    mayStart: (failures) => failures.length === 0 && !signal.aborted,
  })
  if (forward.remaining.length === 0) return { kind: 'completed' }

  const incomplete = { failures: forward.failures, interrupted: signal.aborted }
  const unresolved = { rollbackFailures: [], remaining: forward.remaining, unknown: activitiesOf(forward.failures) }
  const lost = forward.failures.find(isLockLost)
  if (lost !== undefined) return { kind: 'lock-lost', ...incomplete, ...unresolved, error: lost.error }
  if (options.rollback === 'keep') return { kind: 'failed', ...incomplete, ...unresolved }
  const rollback = planRollback(transition, new Set(forward.begun.map(({ id }) => id)))
  return { ...(await rollBack(rollback, forward, options)), ...incomplete }
}

async function rollBack(rollback: Transition, forward: PhaseResult, options: RunOptions) {
  if (!isEmpty(rollback)) options.report({ kind: 'note', message: 'rolling back' })
  const { begun, failures, remaining } = await runPhases(rollback, { ...options, mayStart: () => true })
  const unresolved = {
    rollbackFailures: failures,
    remaining,
    unknown: unknownOf(remaining, { begun, failures, undone: forward.failures }),
  }
  const lost = failures.find(isLockLost)
  if (lost !== undefined) return { kind: 'lock-lost', ...unresolved, error: lost.error } as const
  if (remaining.some(({ kind }) => kind === 'deactivate')) return { kind: 'new-services-left', ...unresolved } as const
  if (remaining.length > 0) return { kind: 'old-services-lost', ...unresolved } as const
  return { kind: 'rolled-back' } as const
}

interface Rollback {
  readonly begun: readonly Activity[]
  readonly failures: readonly ActivityFailure[]
  /** Of what is to be undone. */
  readonly undone: readonly ActivityFailure[]
}

/** Of what remains to be undone: what nobody can say how it ended, and what was not begun of that whose own end nobody knows. */
function unknownOf(remaining: readonly Activity[], { begun, failures, undone }: Rollback): readonly Activity[] {
  const lost = new Set(activitiesOf(failures))
  const known = new Set(begun)
  const doubtful = new Set(activitiesOf(undone).map(({ mapping }) => mappingIdOf(mapping)))
  return remaining.filter(
    (activity) => lost.has(activity) || (!known.has(activity) && doubtful.has(mappingIdOf(activity.mapping))),
  )
}

function activitiesOf(failures: readonly ActivityFailure[]): readonly Activity[] {
  return failures.filter(({ ending }) => ending === 'unknown').map(({ activity }) => activity)
}

/** The second phase starts when the first has succeeded as a whole. */
async function runPhases({ deactivations, activations }: Transition, options: PhaseOptions): Promise<PhaseResult> {
  const first = await runPhase(deactivations, options)
  if (first.remaining.length > 0) return { ...first, remaining: [...first.remaining, ...activations] }
  const second = await runPhase(activations, options)
  return { ...second, begun: [...first.begun, ...second.begun] }
}
