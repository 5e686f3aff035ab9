import { parseProfileName } from '@davit/documents'
import { dashed, usageError } from '@davit/tool'

import type { Order } from './options.ts'

/** Refuses options that belong together, or exclude each other, before anything is evaluated. */
export function checkOrder(order: Order): void {
  refuseEmpty(order)
  parseProfileName(order.profile)
  for (const service of order.abandon) refuseNoService(service)
  const [action, another] = actionsIn(order)
  if (another !== undefined) throw combined(another, action)
  refuseDeletion(order)
  refuseUnconfirmable(order)
  if (order.prefer !== undefined && !order.resume) throw usageError("option '--prefer' belongs to '--resume'", SEE_HELP)
  if (action === undefined) checkModels(order)
  else checkAction(action, order)
  if (order.buildOnTargets && order.deployment !== undefined) {
    throw usageError(
      "option '--build-on-targets' needs models: the packages of '--deployment' are already built",
      SEE_HELP,
    )
  }
}

/** Whether models, or options for evaluating them, are given. */
export function hasModels(order: Order): boolean {
  const { services, infrastructure, distribution, packages, architecture, extraParams, store } = order
  const files = [services, infrastructure, distribution, packages, architecture, extraParams, store]
  return files.some((file) => file !== undefined) || order.undeploy || order.deployState || order.showTrace
}

const SEE_HELP = 'davit-env --help shows the options'

/** An unset variable, as in `-p "$name"`, must not stand for the default. */
function refuseEmpty(order: Order): void {
  for (const [name, value] of Object.entries(order)) {
    if ([value].flat().includes('')) throw usageError(`option '--${dashed(name)}' needs a value`, SEE_HELP)
  }
}

function refuseNoService(service: string): void {
  if (/^[\w.+@-]+$/.test(service)) return
  throw usageError(`option '--abandon' cannot be '${service}'`, 'expected a name, a key or NAME@TARGET')
}

/** State is only deleted after it was moved. */
function refuseDeletion({ deleteState, noMigration, repair }: Order): void {
  if (!deleteState) return
  if (noMigration) throw combined('--delete-state', '--no-migration')
  if (repair) throw combined('--delete-state', '--repair')
}

/** Whoever goes back needs the lock, and leaves nothing as it is. */
function refuseUnconfirmable(order: Order): void {
  if (order.confirm === undefined) return
  const others = {
    'no-lock': order.noLock,
    'no-rollback': order.noRollback,
    'delete-state': order.deleteState,
    abandon: order.abandon.length > 0,
  }
  for (const [option, isGiven] of Object.entries(others)) if (isGiven) throw combined('--confirm', `--${option}`)
}

/** Options that take the place of models. */
function actionsIn(order: Order): readonly string[] {
  const wanted = {
    rollback: order.rollback,
    'switch-to-generation': order.switchToGeneration !== undefined,
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

function noModels(): Error {
  return usageError('no models', 'pass -s, -i and -d; davit-env --help shows the alternatives')
}

/** Refuses an incomplete set of models. */
function checkRoles(order: Order): void {
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

function needModels(order: Order, letters: string, hint: string): void {
  const missing = Object.entries(ROLES).flatMap(([letter, role]) =>
    letters.includes(letter) && order[role] === undefined ? [`the ${role} model (-${letter})`] : [],
  )
  if (missing.length > 0)
    throw usageError(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`, hint)
}
