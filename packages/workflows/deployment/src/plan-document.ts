import { createHash } from 'node:crypto'
import type { Manifest, PlanDocument, PlanDocumentTerms } from '@davit/documents'
import { writeJson } from '@davit/languages'
import { planDocument } from '@davit/review'
import { selectedTargets } from '@davit/selection'
import { type Activity, assumedIn, identityOf } from '@davit/transition'

import type { Plan, PlanTerms } from './plan-for.ts'
import { isInScope } from './scope.ts'

export type DocumentTerms = Pick<
  PlanTerms,
  'profile' | 'previous' | 'upgrade' | 'changed' | 'state' | 'claim' | 'besideOriginal' | 'undeploy' | 'selection'
>

/** Writes a plan down that was made of what targets report. */
export function documentOf(next: Manifest, plan: Plan, terms: DocumentTerms): PlanDocument {
  const { transition, deployed, unreachable, notes } = plan
  const definitions = new Map(deployed.observed.map((one) => [identityOf(one), one.definition]))
  const recordedOf = (activity: Activity) => {
    if (!('definition' in activity) || activity.definition !== 'recorded') return undefined
    const definition = definitions.get(identityOf(activity))
    return definition === undefined ? undefined : hashOf(writeJson(definition))
  }
  const asked = terms.selection && selectedTargets(terms.selection)
  return planDocument({
    profile: terms.profile,
    against: 'targets',
    terms: termsOf(terms),
    manifest: next,
    previous: terms.previous,
    observed: [...deployed.observed, ...assumedIn(next, (one) => !isInScope(one, { ...terms, unreachable }))],
    transition,
    messages: [...deployed.warnings, ...notes],
    skipped: [...unreachable].filter((name) => asked === undefined || asked.has(name)),
    recordedOf,
  })
}

/** What carrying out a plan has to be asked for again. */
export function termsOf({
  upgrade,
  changed = 'keep',
  state,
  claim,
  ...terms
}: Omit<DocumentTerms, 'profile' | 'previous'>): PlanDocumentTerms {
  return {
    upgrade,
    changed,
    migration: state?.migration ?? 'none',
    takeOver: claim?.takeOver ?? false,
    besideOriginal: terms.besideOriginal ?? false,
    undeploy: terms.undeploy ?? false,
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
