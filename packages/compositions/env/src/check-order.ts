import { parseProfileName } from '@davit/documents'
import { usageError } from '@davit/tool'

import { checkRoles, hasModels, noModels, refuseEmpty } from './check-models.ts'
import { checkStack } from './check-stack.ts'
import type { GivenOrder as Order } from './options.ts'

/** Refuses options that belong together, or exclude each other, before anything is evaluated. */
export function checkOrder(order: Order): void {
  const { arguments: _, ...options } = order
  refuseEmpty(options, SEE_HELP)
  checkProfile(order)
  for (const service of order.abandon) refuseNoService(service)
  const [action, another] = actionsIn(order)
  if (another !== undefined) throw combined(another, action)
  if (order.prefer !== undefined && !order.resume) throw usageError("option '--prefer' belongs to '--resume'", SEE_HELP)
  checkStack(order)
  if (action === undefined) checkModels(order)
  else checkAction(action, order)
  if (order.buildOnTargets && order.deployment !== undefined) {
    throw usageError(
      "option '--build-on-targets' needs models: the packages of '--deployment' are already built",
      SEE_HELP,
    )
  }
}

function checkProfile({ profile }: Order): void {
  if (profile !== undefined) parseProfileName(profile)
}

const SEE_HELP = 'davit-env --help shows the options'

function refuseNoService(service: string): void {
  if (/^[\w.+@-]+$/.test(service)) return
  throw usageError(`option '--abandon' cannot be '${service}'`, 'expected a name, a key or NAME@TARGET')
}

/** Options that take the place of models. */
function actionsIn(order: Order): readonly string[] {
  const wanted = {
    rollback: order.rollback,
    'switch-to-generation': order.switchToGeneration !== undefined,
    plan: order.plan !== undefined,
    resume: order.resume,
    abort: order.abort,
    'list-generations': order.listGenerations,
    'delete-generations': order.deleteGenerations !== undefined,
    'delete-all-generations': order.deleteAllGenerations,
    forget: order.forget !== undefined,
  }
  return Object.entries(wanted).flatMap(([name, isWanted]) => (isWanted ? [`--${name}`] : []))
}

function checkAction(action: string, order: Order): void {
  if (order.abandon.length > 0) throw combined('--abandon', action)
  if (hasModels(withoutTargets(action, order)) || order.deployment !== undefined || order.buildOnTargets) {
    throw usageError(`option '${action}' cannot be combined with models`, SEE_HELP)
  }
  if (order.dryRun && /^--(delete|forget)/.test(action)) {
    throw usageError(`option '--dry-run' shows what a deployment would do, not what '${action}' would do`, SEE_HELP)
  }
}

/** `--resume` and `--abort` may ask the targets of an infrastructure model. */
function withoutTargets(action: string, order: Order): Order {
  return action === '--resume' || action === '--abort' ? { ...order, infrastructure: undefined } : order
}

function combined(option: string, other: string | undefined): Error {
  return usageError(`options '${option}' and '${other}' cannot be combined`, SEE_HELP)
}

function checkModels(order: Order): void {
  if (order.deployment !== undefined) {
    if (hasModels(order)) throw usageError("option '--deployment' cannot be combined with models", SEE_HELP)
    return
  }
  if (hasModels(order)) checkRoles(order)
  else if (order.abandon.length === 0) throw noModels()
}
