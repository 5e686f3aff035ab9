import type { PlanStep } from '@davit/documents'
import { grouped, inOrderOfNames } from '@davit/languages'

import type { Arrangement } from './arrangement.ts'
import { identityOf, relatedRows, type Row, rowsOf } from './rows.ts'

/** Targets on which the same is done, and what. */
export interface TargetGroup {
  readonly targets: readonly string[]
  /** What is done on each of them, in order. */
  readonly rows: readonly Row[]
}

/** Arranges steps by target; with `fold`, targets on which the same is done share a group. */
export function groupsOf(steps: readonly PlanStep[], { fold }: Pick<Arrangement, 'fold'>): readonly TargetGroup[] {
  const rows = fold ? relatedRows(steps) : rowsOf(steps, { fold })
  const here = grouped(rows, ({ targets }) => targets[0] ?? '')
  const targets = inOrderOfNames(here, ([target]) => target)
  const alike = grouped(targets, ([target, own]) => (fold ? JSON.stringify(own.map(identityOf)) : target))
  return [...alike.values()].map((group) => ({
    targets: group.map(([target]) => target),
    rows: group[0]?.[1] ?? [],
  }))
}
