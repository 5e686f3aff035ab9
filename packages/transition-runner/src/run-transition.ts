import type { Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { isEmpty, planRollback, type Transition } from '@davit/transition'

import type { TransitionOutcome } from './outcome.ts'
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
  const unresolved = { rollbackFailures: [], remaining: forward.remaining }
  const lost = forward.failures.find(isLockLost)
  if (lost !== undefined) return { kind: 'lock-lost', ...incomplete, ...unresolved, error: lost.error }
  if (options.rollback === 'keep') return { kind: 'failed', ...incomplete, ...unresolved }
  const rollback = planRollback(transition, new Set(forward.begun.map(({ id }) => id)))
  return { ...(await rollBack(rollback, options)), ...incomplete }
}

async function rollBack(rollback: Transition, options: RunOptions) {
  if (!isEmpty(rollback)) options.report({ kind: 'note', message: 'rolling back' })
  const { failures, remaining } = await runPhases(rollback, { ...options, mayStart: () => true })
  const unresolved = { rollbackFailures: failures, remaining }
  const lost = failures.find(isLockLost)
  if (lost !== undefined) return { kind: 'lock-lost', ...unresolved, error: lost.error } as const
  if (remaining.some(({ kind }) => kind === 'deactivate')) return { kind: 'new-services-left', ...unresolved } as const
  if (remaining.length > 0) return { kind: 'old-services-lost', ...unresolved } as const
  return { kind: 'rolled-back' } as const
}

/** The second phase starts when the first has succeeded as a whole. */
async function runPhases({ deactivations, activations }: Transition, options: PhaseOptions): Promise<PhaseResult> {
  const first = await runPhase(deactivations, options)
  if (first.remaining.length > 0) return { ...first, remaining: [...first.remaining, ...activations] }
  const second = await runPhase(activations, options)
  return { ...second, begun: [...first.begun, ...second.begun] }
}
