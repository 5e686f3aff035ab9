import type { Report } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import type { StateMachines } from '@davit/state-runner'
import { type DirectSsh, resolveSecrets } from '@davit/target'
import { coresOf, KINDS } from '@davit/transition'
import { type RunOptions, runTransition, type TransitionOutcome } from '@davit/transition-runner'
import { performerFor } from './performer.ts'
import { recordInstalled } from './take-over-installed.ts'
import { type Plan, reportPlan } from './plan-for.ts'
import { onTrial } from './trial/on-trial.ts'
import { refuseTrial } from './trial/refuse-trial.ts'
import type { ConfirmTerms } from './trial/trial-terms.ts'

export interface ApplyTerms {
  readonly profile: ProfileName
  readonly token: string
  /** Aborts when the lock is lost: running activities end, and no more begin, not even to undo them. */
  readonly lost: AbortSignal
  readonly rollback: RunOptions['rollback']
  /** Limit of each activity; without it, there is none. */
  readonly timeoutSeconds?: number | undefined
  readonly report: Report
  /** Last generation. */
  readonly previous: Manifest | undefined
  /** Undefined if no state moves. */
  readonly machines?: StateMachines | undefined
  /** With it, state travels from target to target where that is possible. */
  readonly direct?: DirectSsh | undefined
  /** With it, targets go back by themselves unless they are confirmed over new connections. */
  readonly confirm?: ConfirmTerms | undefined
  /** Carries out the work with a record of it. A plan that is refused leaves none. */
  readonly onRecord?: ((work: Work) => Promise<TransitionOutcome>) | undefined
  readonly signal: AbortSignal
}

type Work = () => Promise<TransitionOutcome>

/** Carries out the plan for the next manifest. */
export async function applyManifest(next: Manifest, plan: Plan, terms: ApplyTerms): Promise<TransitionOutcome> {
  const { transition } = plan
  const { report, lost, confirm, onRecord = (work) => work() } = terms
  if (confirm !== undefined) refuseTrial(plan)
  const { needs, perform } = performerFor(next, plan, { ...terms, signal: AbortSignal.any([terms.signal, lost]) })
  reportPlan(plan, report)
  await resolveSecrets(await needs())
  const apply = () =>
    runTransition(transition, {
      ...terms,
      async perform(activity) {
        lost.throwIfAborted()
        return perform(activity)
      },
      kinds: KINDS,
      coresOf: coresOf(next.infrastructure),
    })
  return onRecord(async () => {
    await recordInstalled(plan.deployed, terms)
    return confirm === undefined ? apply() : onTrial(next, plan, { terms: { ...terms, confirm }, apply })
  })
}
