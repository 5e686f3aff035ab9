import { parseProfileName } from '@davit/documents'
import { type ArgumentsOf, usageError } from '@davit/tool'

import { checkRoles, hasModels, refuseEmpty } from '../check-models.ts'
import { checkStack } from '../check-stack.ts'
import type { planDescription } from './description.ts'

type PlanOrder = ArgumentsOf<typeof planDescription.options, typeof planDescription.operands>

const SEE_HELP = 'davit-plan --help shows the options'

/** Refuses options that exclude each other; returns what the manifest to reach is made from. */
export function checkPlanOrder(order: PlanOrder): 'manifest' | 'models' {
  const { arguments: _, ...options } = order
  refuseEmpty(options, SEE_HELP)
  checkStack(order)
  if (order.profile !== undefined) parseProfileName(order.profile)
  refuseFilesInJson(order)
  if (hasModels(order) || order.deployment !== undefined) return checkModels(order)
  if (order.from === '-' && (order.manifest ?? '-') === '-')
    throw usageError("only one manifest can be '-'", 'name a file for the other')
  return 'manifest'
}

function checkModels(order: PlanOrder): 'models' {
  if (order.manifest !== undefined) throw usageError('a manifest cannot be combined with models', SEE_HELP)
  if (order.deployment === undefined) checkRoles(order)
  else if (hasModels(order)) throw usageError("option '--deployment' cannot be combined with models", SEE_HELP)
  return 'models'
}

function refuseFilesInJson({ files, format }: PlanOrder): void {
  if (files && format === 'json') throw usageError("options '--files' and '--format json' cannot be combined", SEE_HELP)
}
