import type { Manifest, PlanDocument } from '@davit/documents'
import { observedIn } from '@davit/observation'
import { planDocument } from '@davit/review'
import { leftBehindMessages, leftBehindOf, planTransition } from '@davit/transition'

import { termsOf } from './plan-document.ts'
import type { PlanTerms } from './plan-for.ts'
import { planState } from './state/state-plan.ts'

export type BetweenTerms = Pick<PlanTerms, 'profile' | 'upgrade' | 'changed' | 'state'>

/** Plans the way from one manifest to another, if what runs is as the first one says. No machine is asked. */
export async function planBetween(from: Manifest, next: Manifest, terms: BetweenTerms): Promise<PlanDocument> {
  const { profile, upgrade, changed = 'keep' } = terms
  const observed = observedIn(from, next)
  const nothing = { unreachable: new Set<never>(), blank: new Set<never>(), places: new Map() }
  const state = await planState({ next, observed, previous: from, profile, upgrade, ...nothing }, terms.state)
  const leaving = { next, previous: from, known: [], observed, unreachable: nothing.unreachable }
  return planDocument({
    profile,
    against: 'manifest',
    terms: termsOf(terms),
    manifest: next,
    previous: from,
    observed,
    transition: planTransition(next, observed, { upgrade, changed, previous: from, ...state.planned }),
    messages: [...state.messages, ...leftBehindMessages(leftBehindOf(leaving), next)],
    skipped: [],
  })
}
