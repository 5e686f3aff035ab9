import type { PlanDocument } from '@davit/documents'
import { writeJson } from '@davit/languages'

import { changedServices } from './diff-lines.ts'
import { summaryOf } from './summary.ts'

/** Encodes a plan in JSON, with what programs would otherwise compute from it; readers ignore that. */
export function encodePlan(plan: PlanDocument): string {
  const derived = { summary: summaryOf(plan), services: changedServices(plan) }
  return `${writeJson({ document: 'plan', version: 1, ...plan, ...derived })}\n`
}
