import type { MadeFrom } from '@davit/documents'
import { camelCase, isGiven, type Option } from '@davit/tool'

import { options, type Order } from './options.ts'

const OPTIONS: ReadonlyMap<string, Option> = new Map(Object.entries(options))

/** Adds the options of the run that is resumed to those that are given; `order` is what that run has recorded of its command. */
export function resumed(order: Order, { order: before }: Pick<MadeFrom, 'order'>): Order {
  const recorded: Readonly<Record<string, unknown>> = before?.options ?? {}
  const added = [...OPTIONS].flatMap(([name, { continued }]) => {
    const value = recorded[name]
    const isAdded = continued === true && value !== undefined && !isGivenIn(order, name) && !isExcluded(order, name)
    return isAdded ? [[camelCase(name), value] as const] : []
  })
  return { ...order, ...Object.fromEntries(added) }
}

function isGivenIn(order: Order, name: string): boolean {
  return isGiven(name, OPTIONS, { ...order })
}

/** Whether an option that is given stands in the way of another. */
function isExcluded(order: Order, name: string): boolean {
  const others = [...OPTIONS].flatMap(([other, { excludes = [] }]) => (excludes.includes(name) ? [other] : []))
  return [...others, ...(OPTIONS.get(name)?.excludes ?? [])].some((other) => isGivenIn(order, other))
}
