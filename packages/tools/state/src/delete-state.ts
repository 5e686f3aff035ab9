import { currentGeneration } from '@davit/coordinator-state'
import type { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { deleteTasks, isSelected, type StateScene } from '@davit/state-runner'
import { defineTool, deploymentOf, usageError } from '@davit/tool'
import { stateBetween, type StateChange, statefulServices } from '@davit/transition'

import { description } from './delete-state-description.ts'
import { departuresOf } from './departures.ts'
import { carryOutTasks, type MoveOrder, printTasks, readMoveOrder, sceneOf, servicesBefore } from './move-order.ts'
import { isBroad, onReached, selectable, selectionOf } from './selection.ts'
import { runUnderLock } from './under-lock.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, report } = context
    if (args.onceDeployed && !args.dryRun)
      throw usageError("option '--once-deployed' needs '--dry-run'", 'add --dry-run')
    const order = await readMoveOrder({ ...context, args: { ...args, upgrade: true } })
    const { manifest, old } = order
    if (args.manifest === undefined && isBroad(args)) throw broad(manifest)
    const deployed = (await currentGeneration(deploymentOf(context).place))?.manifest
    const services = servicesBefore(order).filter((one) => isSelected(one, selectionOf(args)))
    await runUnderLock(context, { order, isEmpty: services.length === 0 }, (reached) => {
      const others = [manifest, ...(deployed === undefined ? [] : [deployed])]
      const plan = (scene: StateScene) => {
        const there = onReached(services, manifest, { ...reached, report })
        const when = args.onceDeployed ? 'once-deployed' : 'now'
        return deleteTasks(departuresOf(there, changeFrom(order, deployed)), scene, when)
      }
      const terms = { ...context, args: IN_PARALLEL }
      return {
        scene: { ...sceneOf(context, reached, { manifest: old, others }), discards: args.discard },
        show: async (scene) => {
          const tasks = await plan(scene)
          // A deployment that shows its own plan before has said so.
          if (tasks.length > 0 || !args.onceDeployed) await printTasks(tasks, terms)
        },
        carryOut: async (scene) =>
          carryOutTasks(await plan(scene), { ...terms, signal: scene.signal }, { manifest, ...NOT_DELETED }),
      }
    })
  },
})

function broad(manifest: Manifest): DavitError {
  const services = selectable(statefulServices(manifest))
  const ways = 'name the manifest that had it, or the one before with -o'
  return usageError('nothing says which state to delete', services === '' ? ways : `${ways}, or select it: ${services}`)
}

const IN_PARALLEL = { depthFirst: false, maxConcurrentTransfers: 1 }

const NOT_DELETED = {
  message: 'not all state was deleted',
  hint: 'what is not listed above was deleted or is in use; davit-delete-state tries again, with the manifest that had it (davit-generations --print N > old.json; davit-delete-state -o old.json)',
}

/** What has taken over the state: what the manifests say, or else what is deployed now. */
function changeFrom({ manifest, change }: MoveOrder, deployed: Manifest | undefined): StateChange | undefined {
  return change ?? (deployed === undefined ? undefined : stateBetween(manifest, deployed))
}
