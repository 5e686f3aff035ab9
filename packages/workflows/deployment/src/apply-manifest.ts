import type { Report } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import { coresOf, KINDS } from '@davit/transition'
import { type RunOptions, runTransition, type TransitionOutcome } from '@davit/transition-runner'
import { performerFor } from './performer.ts'
import { type Plan, reportPlan } from './plan-for.ts'

export interface ApplyTerms {
  readonly profile: ProfileName
  readonly token: string
  /** Aborts when the lock was lost: what runs ends, and nothing more begins, not even to undo it. */
  readonly lost: AbortSignal
  readonly rollback: RunOptions['rollback']
  /** For each activity; without it, they may take as long as they want. */
  readonly timeoutSeconds?: number | undefined
  readonly report: Report
  readonly signal: AbortSignal
}

/** Carries out the plan that leads to the next manifest. */
export async function applyManifest(next: Manifest, plan: Plan, terms: ApplyTerms): Promise<TransitionOutcome> {
  const { transition, deployed } = plan
  const { report, lost } = terms
  const perform = performerFor(next, deployed, terms)
  reportPlan(plan, report)
  return runTransition(transition, {
    ...terms,
    async perform(activity) {
      lost.throwIfAborted()
      return perform(activity)
    },
    kinds: KINDS,
    coresOf: coresOf(next.infrastructure),
  })
}
