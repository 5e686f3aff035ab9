import { currentGeneration } from '@davit/coordinator-state'
import type { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { deleteTasks, isSelected, type StateScene } from '@davit/state-runner'
import {
  type ArgumentsOf,
  defineTool,
  deploymentOf,
  type DocumentInput,
  type Run,
  type StepContext,
  type ToolContext,
  usageError,
} from '@davit/tool'
import { stateBetween, type StateChange, statefulServices } from '@davit/transition'

import { description } from './delete-state-description.ts'
import { departuresOf } from './departures.ts'
import {
  carryOutTasks,
  type MoveOrder,
  moveOrderOf,
  printTasks,
  readMoveOrder,
  sceneOf,
  servicesBefore,
} from './move-order.ts'
import { isBroad, onReached, selectable, selectionOf } from './selection.ts'
import { runUnderLock } from './under-lock.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args } = context
    if (args.onceDeployed && !args.dryRun)
      throw usageError("option '--once-deployed' needs '--dry-run'", 'add --dry-run')
    const order = await readMoveOrder({ ...context, args: { ...args, upgrade: true } })
    if (args.manifest === undefined && isBroad(args)) throw broad(order.manifest)
    await carryOutDeletion(order, context)
  },
})

type Options = Omit<
  ArgumentsOf<typeof description.options, Record<never, never>>,
  'deployed' | 'oldManifest' | 'output'
>

/** What is left behind by a deployment. */
interface Deployed extends Pick<DocumentInput<Manifest>, 'value' | 'text'> {
  /** The manifest that was deployed before. */
  readonly old: Manifest
}

/** Deletes state where services were before, if it was moved, or if its service was removed; with `dryRun`, prints what it would delete. */
export async function deleteState(
  { value: manifest, text, old }: Deployed,
  options: Options,
  run: Run & Pick<ToolContext<unknown>, 'print'>,
): Promise<void> {
  const order = moveOrderOf({ manifest, text, isGiven: false }, old, options)
  await carryOutDeletion(order, { ...run, args: options })
}

async function carryOutDeletion(
  order: MoveOrder,
  context: StepContext<Options> & Pick<ToolContext<unknown>, 'print'>,
): Promise<void> {
  const { args, report } = context
  const { manifest, old } = order
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
}

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
