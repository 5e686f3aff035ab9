import { compareText } from '@davit/languages'

import type { Need } from './needs.ts'

/**
 * Orders services so that those that provide containers come before those that may use them. Otherwise the greatest demand comes
 * first, since it is the hardest to place.
 */
export function inOrder(needs: readonly Need[]): readonly Need[] {
  const order: Need[] = []
  let rest = needs.toSorted((left, right) => demandOf(right) - demandOf(left) || compareText(left.name, right.name))
  while (rest.length > 0) {
    const awaited = new Set(rest.flatMap(({ provides }) => provides))
    const ready = rest.filter(({ type }) => !awaited.has(type))
    // Services that provide containers for each other come in the order of their names.
    if (ready.length === 0) return [...order, ...rest]
    order.push(...ready)
    rest = rest.filter(({ type }) => awaited.has(type))
  }
  return order
}

function demandOf({ demand = 0 }: Need): number {
  return demand
}
