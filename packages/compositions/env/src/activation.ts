import type { MadeFrom } from '@davit/documents'
import { optionsFor, type Run, type Steps } from '@davit/tool'

import type { Change, Surroundings } from './deploy.ts'
import type { GivenManifest } from './make-manifest.ts'
import type { Order } from './options.ts'
import { toActivate } from './tools.ts'

type Goal = Pick<Change, 'next' | 'plan'>

/** Refuses a deployment that is not ours, and tells whether a run would change anything. */
export async function checkManifest(order: Order, goal: Goal, steps: Steps): Promise<'changed' | 'unchanged'> {
  const { checkTransition, description } = await toActivate()
  return steps.as(description, async (run) => checkTransition(goal, await optionsOf(order, run), run))
}

/** Activates a manifest; returns what its generation keeps of that. */
export async function activateManifest(
  order: Order,
  change: Change,
  steps: Steps,
): Promise<NonNullable<MadeFrom['transition']>> {
  const { activate, description } = await toActivate()
  return steps.as(description, async (run) => activate(change, await optionsOf(order, run), run))
}

/** Shows what a run would do. */
export async function showPlan(order: Order, goal: Goal, { context, steps }: Surroundings): Promise<void> {
  const { description, renderTransition } = await toActivate()
  const { columns, colours = false, print } = context
  await steps.as(description, async (run) =>
    print(await renderTransition(goal, await optionsOf(order, run), { ...run, columns, colours })),
  )
}

/** Gives services up, on the targets of a manifest or of the last deployment. */
export async function giveUpServices(
  order: Order,
  manifest: GivenManifest | undefined,
  { context, steps }: Surroundings,
): Promise<void> {
  const { description, giveUp } = await toActivate()
  await steps.as(description, async (run) =>
    giveUp(manifest, await optionsOf(order, run), { ...run, print: context.print }),
  )
}

async function optionsOf(order: Order, run: Run) {
  const { description } = await toActivate()
  // Whoever does not only look means what the documents say.
  return optionsFor(description, { ...order, trustPrograms: order.trustPrograms || !order.dryRun }, run)
}
