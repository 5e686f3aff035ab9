import { delegate, delegationPlan } from '@davit/delegation'
import { BuildModel, encodeDocument } from '@davit/documents'
import { openStore } from '@davit/store'
import { defineTool, usageError, withTargets } from '@davit/tool'
import { description } from './description.ts'
import { assignmentFrom } from './assignment.ts'
import { say } from './messages.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report, signal } = context
    if (args.build !== undefined && args.architecture !== undefined) {
      throw usageError('an architecture and a build model cannot be combined', 'give either -B FILE or an architecture')
    }
    const assignment = await assignmentFrom(args, context)
    if (args.print) return print(encodeDocument(BuildModel, assignment.buildModel, args.format))
    const store = await openStore(assignment.store, { ...context, trustsBuilds: args.trustBuilds })
    const order = await assignment.orderWith(store)
    const plan = await delegationPlan(order, store)
    if (plan.builds.size === 0) report(say('nothing-to-build'))
    else {
      const told = new Set([...plan.builds.values()].map(({ target }) => target))
      const infrastructure = new Map([...assignment.infrastructure].filter(([name]) => told.has(name)))
      const { maxConcurrentTransfers: maxTransfers, useSubstitutes } = args
      const options = { ...context, store, builders: order.builders, maxTransfers, useSubstitutes }
      await withTargets(infrastructure, { ...context, role: 'carry', manifests: [], trust: 'everything' }, (reached) =>
        delegate(plan, reached, options),
      )
      signal.throwIfAborted()
    }
    await print(assignment.text)
  },
})
