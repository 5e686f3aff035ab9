import {
  type Arrival,
  chooseRestorations,
  isSelected,
  parseWanted,
  recordsByState,
  restoreTasks,
  type StateScene,
  type StateTask,
} from '@davit/state-runner'
import type { DavitError } from '@davit/diagnostics'
import { type ArgumentsOf, defineTool, type ReachedDeployment, type ToolContext, usageError } from '@davit/tool'
import { statefulServices } from '@davit/transition'

import { carryOutTasks, type MoveOrder, moveTermsOf, printTasks, readMoveOrder, sceneOf } from './move-order.ts'
import { description } from './restore-description.ts'
import { isBroad, onReached, selectable, selectionOf } from './selection.ts'
import { runUnderLock } from './under-lock.ts'

type RestoreArguments = ArgumentsOf<typeof description.options, typeof description.operands>

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args } = context
    const wanted = args.snapshot === undefined ? ({ kind: 'latest' } as const) : parseWanted(args.snapshot)
    const order = await readMoveOrder(context)
    const { manifest } = order
    const arrivals = arrivalsIn(order, args)
    if (!args.all && arrivals.length > 0 && isBroad(args)) throw broad(arrivals)
    await runUnderLock(context, { order, isEmpty: arrivals.length === 0 }, (reached) => {
      const there = reachedArrivals(arrivals, { order, reached, context })
      const plan = (scene: StateScene) => planRestore(there, { wanted, args }, scene)
      return {
        scene: { ...sceneOf(context, reached, { manifest, others: [] }), discards: args.discard },
        show: async (scene) => printTasks(await plan(scene), context),
        carryOut: async (scene) =>
          carryOutTasks(await plan(scene), { ...context, signal: scene.signal }, { manifest, ...NOT_RESTORED }),
      }
    })
  },
})

const NOT_RESTORED = {
  message: 'not all state was restored',
  hint: 'what is not listed above was restored; the same command tries again, and with --discard it also replaces what cannot be saved',
}

function broad(arrivals: readonly Arrival[]): DavitError {
  const services = selectable(arrivals.map(({ to }) => to))
  return usageError('nothing says which state to replace', `select it: ${services}; --all replaces all of it`)
}

/** The selected services that get state. */
function arrivalsIn({ manifest, change }: MoveOrder, args: RestoreArguments): readonly Arrival[] {
  const sources = new Map(change?.moved.map(({ from, to }) => [to, from]))
  const services = change?.incoming ?? statefulServices(manifest)
  return services.filter((one) => isSelected(one, selectionOf(args))).map((to) => ({ to, from: sources.get(to) }))
}

interface Surroundings {
  readonly order: MoveOrder
  readonly reached: ReachedDeployment
  readonly context: Pick<ToolContext<unknown>, 'report'>
}

function reachedArrivals(arrivals: readonly Arrival[], { order, reached, context }: Surroundings): readonly Arrival[] {
  const services = arrivals.map(({ to }) => to)
  const there = new Set(onReached(services, order.manifest, { ...reached, report: context.report }))
  return arrivals.filter(({ to }) => there.has(to))
}

interface RestoreTerms {
  readonly wanted: Parameters<typeof chooseRestorations>[1]
  readonly args: RestoreArguments
}

async function planRestore(
  arrivals: readonly Arrival[],
  { wanted, args }: RestoreTerms,
  scene: StateScene,
): Promise<readonly StateTask[]> {
  const restorations = await chooseRestorations(arrivals, wanted, scene)
  const records = await recordsByState(scene)
  const restoring = args.transferOnly ? 'transfer-only' : 'restore'
  return restoreTasks(restorations, scene, { ...moveTermsOf(args), restoring, records })
}
