import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { refusePlanOfManifest } from '@davit/deployment'
import { encodeDocument, Manifest, PlanDocument } from '@davit/documents'
import { type ToolContext, usageError } from '@davit/tool'

import type { GivenOrder, Order } from './options.ts'
import type { PrivateDirectories } from './private-directories.ts'

/** A plan that is to be carried out. */
export interface Planned {
  /** What the user asked for, with the options of the plan. */
  readonly order: Order
  readonly text: string
  /** Text of the manifest of the plan. */
  readonly manifest: string
}

/** Reads the plan that an order is about; undefined if it is about none. */
export async function readPlanned({ args, readDocument }: ToolContext<GivenOrder>): Promise<Planned | undefined> {
  if (args.plan === undefined) return undefined
  const { value, text } = await readDocument(PlanDocument, args.plan)
  if (args.profile !== undefined && args.profile !== value.profile && args.profile !== 'default')
    throw usageError(`the plan is one for '${value.profile}'`, 'omit -p, or make a plan with it')
  refusePlanOfManifest(value, args.plan)
  return { order: orderOf(args, value), text, manifest: encodeDocument(Manifest, value.manifest, 'json') }
}

function orderOf(order: GivenOrder, { profile, terms, skipped }: PlanDocument): Order {
  return {
    ...order,
    profile,
    noUpgrade: terms.upgrade === 'activate-only',
    repair: terms.upgrade === 'repair',
    restartChanged: terms.changed === 'restart',
    noMigration: terms.migration === 'none',
    restore: terms.migration === 'move-and-restore',
    takeOver: terms.takeOver,
    besideOriginal: terms.besideOriginal,
    undeploy: terms.undeploy,
    skipUnreachable: order.skipUnreachable || skipped.length > 0,
  }
}

/** Has the steps find the plan in a file that nobody else changes. */
export async function withPlanFile(
  { order, text }: Planned,
  directories: PrivateDirectories,
  use: (order: Order) => Promise<void>,
): Promise<void> {
  await directories.use(async (directory) => {
    const plan = join(directory, 'plan')
    await writeFile(plan, text, { mode: 0o600 })
    await use({ ...order, plan })
  })
}
