import { planBetween, termsOfOptions } from '@davit/deployment'
import type { Manifest, PlanDocument } from '@davit/documents'
import { deploymentOf, stateDirectory } from '@davit/tool'

import type { PlanContext } from './plan.ts'

/** Plans the way from one manifest to another. */
export async function planAgainstManifest(from: Manifest, next: Manifest, context: PlanContext): Promise<PlanDocument> {
  const { profile } = deploymentOf(context)
  return planBetween(from, next, { ...termsOfOptions(context.args, stateDirectory(context)), profile })
}
