import { isSelected, snapshotTasks } from '@davit/state-runner'
import { defineTool } from '@davit/tool'

import {
  carryOutTasks,
  moveTermsOf,
  printTasks,
  readMoveOrder,
  runErrand,
  sceneOf,
  servicesBefore,
  withoutLock,
} from './move-order.ts'
import { onReached, selectionOf } from './selection.ts'
import { description } from './snapshot-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, report } = context
    const order = await readMoveOrder(context)
    const { manifest, old } = order
    const services = servicesBefore(order).filter((one) => isSelected(one, selectionOf(args)))
    const errand = { order, isEmpty: services.length === 0, purpose: 'preparation' } as const
    await runErrand(withoutLock(context), errand, async (reached) => {
      const scene = sceneOf(context, reached, { manifest: old, others: [manifest] })
      const taking = args.transferOnly ? 'transfer-only' : 'take'
      const there = onReached(services, manifest, { ...reached, report })
      const tasks = snapshotTasks(there, scene, { ...moveTermsOf(args), taking })
      if (args.dryRun) return printTasks(tasks, context)
      return carryOutTasks(tasks, context, { manifest, ...NOT_SAVED })
    })
  },
})

const NOT_SAVED = {
  message: 'not all state was saved',
  hint: 'what is not listed above was saved; the same command tries again',
}
