import type { PlanDocument, PlanStep } from '@davit/documents'
import { stepText } from '@davit/transition'

/**
 * Tells how a plan that was made anew differs from one that was saved, in what it does: the steps, what they wait for, and the records
 * with which they are done. Why they are done does not count. Empty if carrying out one is carrying out the other.
 */
export function planDifferences(saved: PlanDocument, now: PlanDocument): readonly string[] {
  const [before, after] = [byId(saved), byId(now)]
  const steps = [
    ...saved.steps.filter(({ id }) => !after.has(id)).map((step) => `no longer to be done: ${stepText(step)}`),
    ...now.steps.filter(({ id }) => !before.has(id)).map((step) => `also to be done: ${stepText(step)}`),
  ]
  const both = now.steps.filter(({ id }) => before.has(id))
  const recorded = both
    .filter((step) => before.get(step.id)?.recorded !== step.recorded)
    .map((step) => `recorded with other settings: ${stepText(step)}`)
  if (steps.length + recorded.length > 0) return [...steps, ...recorded]
  // Where steps come or go, others also wait for other ones.
  const moved = both.filter((step) => orderOf(before.get(step.id) ?? step) !== orderOf(step))
  return moved.map((step) => `to be done in another order: ${stepText(step)}`)
}

function byId({ steps }: PlanDocument): ReadonlyMap<string, PlanStep> {
  return new Map(steps.map((step) => [step.id, step]))
}

function orderOf({ phase, waitsFor }: PlanStep): string {
  return [phase, ...waitsFor.toSorted()].join('\n')
}
