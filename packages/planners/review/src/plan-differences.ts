import type { PlanDocument, PlanStep } from '@davit/documents'

import { stepLine } from './row-text.ts'

/**
 * Tells how a plan that was made anew differs from one that was saved, in what it does: the steps, what they wait for, and the records
 * with which they are done. Why they are done does not count. Empty if carrying out one is carrying out the other.
 */
export function planDifferences(saved: PlanDocument, now: PlanDocument): readonly string[] {
  const [before, after] = [byId(saved), byId(now)]
  return [
    ...saved.steps.filter(({ id }) => !after.has(id)).map((step) => `no longer to be done: ${stepLine(step)}`),
    ...now.steps.filter(({ id }) => !before.has(id)).map((step) => `also to be done: ${stepLine(step)}`),
    ...now.steps.flatMap((step) => {
      const one = before.get(step.id)
      return one === undefined ? [] : stepDifferences(one, step)
    }),
  ]
}

function byId({ steps }: PlanDocument): ReadonlyMap<string, PlanStep> {
  return new Map(steps.map((step) => [step.id, step]))
}

function stepDifferences(one: PlanStep, other: PlanStep): readonly string[] {
  if (one.recorded !== other.recorded) return [`recorded with other settings: ${stepLine(other)}`]
  const isSame = one.phase === other.phase && listText(one.waitsFor) === listText(other.waitsFor)
  return isSame ? [] : [`to be done in another order: ${stepLine(other)}`]
}

function listText(ids: readonly string[]): string {
  return ids.toSorted().join('\n')
}
