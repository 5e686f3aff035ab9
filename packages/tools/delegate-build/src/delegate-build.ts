import { delegate, delegationPlan } from '@davit/delegation'
import type { Architecture } from '@davit/documents'
import { openStore } from '@davit/store'
import { type ArgumentsOf, type Run, withTargets } from '@davit/tool'

import { type Assignment, assignmentOf } from './assignment.ts'
import type { description } from './description.ts'
import { say } from './messages.ts'

type Options = Pick<
  ArgumentsOf<typeof description.options, Record<never, never>>,
  'trustBuilds' | 'maxConcurrentTransfers' | 'useSubstitutes'
>

/** Builds on the targets what an architecture names and this machine lacks, and brings it back. */
export async function delegateBuild(architecture: Architecture, options: Options, run: Run): Promise<void> {
  await carryOutAssignment(assignmentOf(architecture), options, run)
}

export async function carryOutAssignment(
  { store: reference, infrastructure, orderWith }: Omit<Assignment, 'text'>,
  options: Options,
  run: Run,
): Promise<void> {
  const { trustBuilds: trustsBuilds, maxConcurrentTransfers: maxTransfers, useSubstitutes } = options
  const store = await openStore(reference, { ...run, trustsBuilds })
  const order = await orderWith(store)
  const plan = await delegationPlan(order, store)
  if (plan.builds.size === 0) return run.report(say('nothing-to-build'))
  const names = new Set([...plan.builds.values()].map(({ target }) => target))
  const builders = new Map([...infrastructure].filter(([name]) => names.has(name)))
  const terms = { ...run, store, builders: order.builders, maxTransfers, useSubstitutes }
  await withTargets(builders, { ...run, role: 'carry', manifests: [], trust: 'everything' }, (reached) =>
    delegate(plan, reached, terms),
  )
  run.signal.throwIfAborted()
}
