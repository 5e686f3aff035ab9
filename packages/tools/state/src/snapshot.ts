import { snapshotTasks } from '@davit/state-runner'
import { defineTool, withDeployment } from '@davit/tool'

import { say } from './messages.ts'
import {
  carryOutTasks,
  leavingServices,
  moveTermsOf,
  printTasks,
  readMoveOrder,
  sceneOf,
  withoutLock,
} from './move-order.ts'
import { onReached } from './selection.ts'
import { description } from './snapshot-description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    const order = await readMoveOrder(context)
    const { manifest, text, old, change } = order
    const services = leavingServices(order, args)
    if (services.length === 0) {
      report(say(change === undefined ? 'no-deploy-state' : 'no-state-moved'))
    } else {
      const purpose = args.dryRun ? undefined : 'preparation'
      await withDeployment(withoutLock(context), { manifest, text, purpose }, async (reached) => {
        const scene = sceneOf(context, reached, { manifest: old, others: [manifest] })
        const taking = args.transferOnly ? 'transfer-only' : 'take'
        const there = onReached(services, manifest, { targets: reached.targets, report })
        const tasks = snapshotTasks(there, scene, { ...moveTermsOf(args), taking })
        if (args.dryRun) return printTasks(tasks, context)
        return carryOutTasks(tasks, context, { manifest, ...NOT_SAVED })
      })
    }
    if (order.isGiven && !args.dryRun) await print(text)
  },
})

const NOT_SAVED = {
  message: 'not all state was saved',
  hint: 'what is not listed above was saved; the same command tries again',
}
