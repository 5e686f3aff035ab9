import { dashed } from '@davit/tool'

import type { Order } from './options.ts'

/** Options that a run which was cut off has to be resumed with, unless they are given anew. */
const RESUMED = [
  'on',
  'rollback',
  'switchToGeneration',
  'noUpgrade',
  'noMigration',
  'deleteState',
  'keep',
  'restore',
  'direct',
  'noRollback',
  'confirm',
  'restartChanged',
  'activityTimeout',
  'noLock',
  'noCoordinatorProfile',
  'noTargetProfiles',
] as const satisfies readonly (keyof Order)[]

/** Adds the options of the run that is resumed to those that are given; `origin` is what that run has handed on. */
export function resumed(order: Order, origin: string): Order {
  const recorded = optionsIn(origin)
  const added = RESUMED.flatMap((name) => {
    const value = recorded[dashed(name)]
    return isGiven(order[name]) || value === undefined || contradicts(name, order) ? [] : [[name, value] as const]
  })
  return { ...order, ...Object.fromEntries(added) }
}

/** Of these options, one that is given stands in the way of the other. */
const EXCLUSIVE: readonly (readonly (typeof RESUMED)[number][])[] = [
  ['noMigration', 'deleteState'],
  ['confirm', 'noLock'],
  ['confirm', 'noRollback'],
]

function isGiven(value: Order[keyof Order]): boolean {
  return value !== undefined && value !== false && (!Array.isArray(value) || value.length > 0)
}

function contradicts(name: (typeof RESUMED)[number], order: Order): boolean {
  const given = EXCLUSIVE.filter((pair) => pair.includes(name)).flatMap((pair) => pair.filter((one) => one !== name))
  return given.some((one) => isGiven(order[one]))
}

/** Options of the command that the last line with an order describes. */
function optionsIn(origin: string): Readonly<Record<string, unknown>> {
  const orders = origin.split('\n').flatMap((line) => (line === '' ? [] : (orderIn(line) ?? [])))
  return orders.at(-1)?.options ?? {}
}

function orderIn(line: string) {
  const facts = JSON.parse(line) as { readonly order?: { readonly options?: Readonly<Record<string, unknown>> } }
  return facts.order
}
