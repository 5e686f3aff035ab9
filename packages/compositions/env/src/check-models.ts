import { dashed, usageError } from '@davit/tool'

import type { ModelOrder } from './model-options.ts'

export interface GivenModels extends ModelOrder {
  readonly stack: string | undefined
  readonly store: string | undefined
}

/** Whether models, a stack, or options for evaluating them, are given. */
export function hasModels(order: GivenModels): boolean {
  const { services, infrastructure, distribution, packages, architecture, extraParams, store } = order
  const files = [services, infrastructure, distribution, packages, architecture, order.stack, extraParams, store]
  return files.some((file) => file !== undefined) || order.undeploy || order.deployState || order.showTrace
}

/** An unset variable, as in `-p "$name"`, must not stand for the default. */
export function refuseEmpty(order: object, hint: string): void {
  for (const [name, value] of Object.entries(order as Readonly<Record<string, unknown>>)) {
    if ([value].flat().includes('')) throw usageError(`option '--${dashed(name)}' needs a value`, hint)
  }
}

export function noModels(): Error {
  return usageError('no models', 'pass -s, -i and -d, or --stack; --help shows the alternatives')
}

/** Refuses an incomplete set of models. */
export function checkRoles(order: GivenModels): void {
  if (order.stack !== undefined) return
  const { services, distribution } = order
  if (order.undeploy) return needModels(order, 'i', '--undeploy needs the infrastructure model as well')
  if (order.architecture !== undefined) return
  if (services !== undefined || distribution !== undefined)
    return needModels(order, 'sid', '-s, -i and -d belong together')
  if (order.packages !== undefined) return needModels(order, 'i', '-P needs the infrastructure model as well')
  if (order.infrastructure === undefined) throw noModels()
  throw usageError('an infrastructure model alone deploys nothing', 'add -s and -d, or -P')
}

const ROLES = { s: 'services', i: 'infrastructure', d: 'distribution' } as const

function needModels(order: ModelOrder, letters: string, hint: string): void {
  const missing = Object.entries(ROLES).flatMap(([letter, role]) =>
    letters.includes(letter) && order[role] === undefined ? [`the ${role} model (-${letter})`] : [],
  )
  if (missing.length > 0)
    throw usageError(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`, hint)
}
