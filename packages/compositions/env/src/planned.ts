import { optionsOfTerms, refusePlanOfManifest } from '@davit/deployment'
import { encodeDocument, Manifest, PlanDocument } from '@davit/documents'
import { type ToolContext, usageError } from '@davit/tool'

import type { GivenManifest } from './make-manifest.ts'
import type { GivenOrder, Order } from './options.ts'

/** A plan that is to be carried out. */
export interface Planned {
  /** What the user asked for, with the options of the plan. */
  readonly order: Order
  readonly plan: PlanDocument
  readonly manifest: GivenManifest
}

/** Reads the plan that an order is about; undefined if it is about none. */
export async function readPlanned({ args, readDocument }: ToolContext<GivenOrder>): Promise<Planned | undefined> {
  if (args.plan === undefined) return undefined
  const { value } = await readDocument(PlanDocument, args.plan)
  if (args.profile !== undefined && args.profile !== value.profile && args.profile !== 'default')
    throw usageError(`the plan is one for '${value.profile}'`, 'omit -p, or make a plan with it')
  refusePlanOfManifest(value, args.plan)
  const text = encodeDocument(Manifest, value.manifest, 'json')
  return { order: orderOf(args, value), plan: value, manifest: { value: value.manifest, text } }
}

function orderOf(order: GivenOrder, { profile, terms, skipped }: PlanDocument): Order {
  const { upgrade, migration, ...others } = optionsOfTerms(terms)
  const skipUnreachable = order.skipUnreachable || skipped.length > 0
  return { ...order, ...others, profile, noUpgrade: !upgrade, noMigration: !migration, skipUnreachable }
}
