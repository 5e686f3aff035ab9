import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Manifest, PlanDocument } from '@davit/documents'
import { planDifferences } from '@davit/review'

import { documentOf, type DocumentTerms } from './plan-document.ts'
import type { Plan } from './plan-for.ts'

/** Exit status of tools that were told to carry out a plan, and found that something else would have to be done. */
const OTHER_PLAN = 4

export interface ExpectedTerms extends DocumentTerms {
  /** The plan that is to be carried out; without it, any is. */
  readonly expected?: PlanDocument | undefined
}

/** Refuses a plan that does something else than the expected one. */
export function refuseOtherPlan(next: Manifest, plan: Plan, { expected, ...terms }: ExpectedTerms): void {
  if (expected === undefined) return
  const now = documentOf(next, plan, terms)
  const differences = planDifferences(expected, now)
  if (differences.length === 0) return
  if (now.steps.length === 0) throw nothingLeft()
  throw new DavitError('plan-outdated', 'what is active has changed since the plan was made', {
    exitStatus: OTHER_PLAN,
    diagnostics: differences.map((message) => ({ severity: 'error', message })),
    hint: 'nothing was done; make the plan anew with davit-plan, and look at it',
  })
}

function nothingLeft(): DavitError {
  return new DavitError('plan-carried-out', 'nothing of the plan is left to be done: it was carried out already', {
    exitStatus: OTHER_PLAN,
    hint: 'nothing was done; davit-plan with the same models shows whether anything else is to be done',
  })
}

/** Refuses a plan that was made of two manifests, since no machine was asked what would have to be done. */
export function refusePlanOfManifest({ against }: PlanDocument, file: string): void {
  if (against === 'targets') return
  throw new DavitError(
    'plan-of-manifest',
    `'${file}' is a plan from another manifest, for which no machine was asked`,
    {
      exitStatus: ExitStatus.usage,
      hint: 'make it without --from to carry it out',
    },
  )
}
