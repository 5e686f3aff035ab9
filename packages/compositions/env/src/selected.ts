import type { Steps } from '@davit/tool'

import type { Change } from './deploy.ts'
import type { Order } from './options.ts'
import { select } from './tools.ts'
import { wordsOf } from './words.ts'

interface Selected {
  /** The order, with what is selected in words that mean the same to each step. */
  readonly order: Order
  readonly change: Change
}

/** Limits a change to what is selected. A part is a generation of its own, unless it is all of the generation to return to. */
export async function selected(order: Order, change: Change, steps: Steps): Promise<Selected> {
  if (order.on.length === 0) return { order, change }
  const words = wordsOf({ on: order.on })
  const list = await steps.run(select, ['--list', ...words], change.next)
  const next = await steps.run(select, words, change.next)
  const generation = next === change.next ? change.generation : undefined
  return { order: { ...order, on: list.trimEnd().split('\n') }, change: { ...change, next, generation } }
}
