import {
  deleteTasks,
  isSelected,
  recordsByState,
  type Restoration,
  restoreTasks,
  snapshotTasks,
  type StateScene,
  storesOf,
  componentOf,
} from '@davit/state-runner'
import { parseProfileName } from '@davit/documents'
import { findSnapshot } from '@davit/target'
import {
  type ArgumentsOf,
  defineTool,
  directOf,
  type ReachedDeployment,
  type ToolContext,
  usageError,
} from '@davit/tool'
import type { StatefulService } from '@davit/transition'

import { description } from './migrate-description.ts'
import {
  carryOutTasks,
  type MoveOrder,
  moveTermsOf,
  printTasks,
  readMoveOrder,
  sceneOf,
  servicesBefore,
} from './move-order.ts'
import { departuresOf } from './departures.ts'
import { isOn, onReached, selectionOf } from './selection.ts'
import { runUnderLock } from './under-lock.ts'

type MigrateArguments = ArgumentsOf<typeof description.options, typeof description.operands>

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args } = context
    checkArguments(args)
    const order = await readMoveOrder(context)
    const moves = movesIn(order, args)
    await runUnderLock(context, { order, isEmpty: moves.away.length === 0 }, (reached) => {
      const migration = { ...reachedMoves(moves, order, { context, reached }), order, context }
      const scene = sceneOf(context, reached, { manifest: order.manifest, others: [] })
      return {
        scene: { ...scene, direct: directOf(context) },
        show: (shown) => showMigration(migration, shown),
        carryOut: (locked) => migrate({ ...migration, context: { ...context, signal: locked.signal } }, locked),
      }
    })
  },
})

function checkArguments({ all, direct, ...args }: MigrateArguments): void {
  const { profile, oldManifest, upgrade, transferOnly, deleteState } = args
  parseProfileName(profile)
  if (direct && all)
    throw usageError(
      "options '--direct' and '--all' cannot be combined",
      'only the latest snapshot travels from target to target',
    )
  if (oldManifest === undefined && upgrade)
    throw usageError(
      "option '--old-manifest' is missing",
      "name the manifest from which to move with -o; 'davit-generations --print N' prints one that was deployed",
    )
  if (transferOnly && deleteState)
    throw usageError(
      "options '--transfer-only' and '--delete-state' cannot be combined",
      'state is only deleted when it was restored',
    )
}

interface Moves {
  /** Services whose state is saved. */
  readonly away: readonly StatefulService[]
  readonly moved: readonly { readonly from: StatefulService; readonly to: StatefulService }[]
}

function movesIn(order: MoveOrder, args: MigrateArguments): Moves {
  const selection = selectionOf(args)
  const all = servicesBefore(order)
  const moved = order.change?.moved ?? all.map((one) => ({ from: one, to: one }))
  const chosen = moved.filter(({ from, to }) => isSelected(from, selection) || isSelected(to, selection))
  const away = all.filter((one) => isSelected(one, selection) || chosen.some(({ from }) => from === one))
  return { away, moved: chosen }
}

interface Surroundings {
  readonly context: ToolContext<MigrateArguments>
  readonly reached: ReachedDeployment
}

/** Leaves out state on targets that are gone or skipped, and what would take it over. */
function reachedMoves({ away, moved }: Moves, { manifest }: MoveOrder, { context, reached }: Surroundings): Moves {
  const found = { ...reached, report: context.report }
  const there = new Set(onReached(away, manifest, found))
  const names = new Set(reached.targets.map(({ name }) => name))
  const isThere = (to: StatefulService) => names.has(to.mapping.target) && isOn(to, reached.selection)
  return { away: [...there], moved: moved.filter(({ from, to }) => there.has(from) && isThere(to)) }
}

interface Migration extends Moves {
  readonly order: MoveOrder
  readonly context: ToolContext<MigrateArguments>
}

async function migrate({ away, moved, order, context }: Migration, scene: StateScene): Promise<void> {
  const { args } = context
  const { manifest, old } = order
  const before = { ...scene, manifest: old, others: [manifest] }
  const taking = args.transferOnly ? 'transfer-only' : 'take'
  const terms = moveTermsOf(args)
  const goingOn = goingOnIn(moved, scene)
  const snapshots = snapshotTasks(away, before, { ...terms, taking, goingOn })
  await carryOutTasks(snapshots, context, { manifest, ...NOTHING_RESTORED })
  const restorations = (await Promise.all(moved.map((one) => taken(one, before, goingOn)))).flat()
  const restoring = args.transferOnly ? 'transfer-only' : 'restore'
  const records = await recordsByState(scene)
  const tasks = restoreTasks(restorations, scene, { ...terms, restoring, records })
  await carryOutTasks(tasks, context, { manifest, ...NOT_RESTORED })
  if (!args.deleteState) return
  const deletions = await deleteTasks(departuresOf(away, order.change), before)
  await carryOutTasks(deletions, context, { manifest, ...NOT_DELETED })
}

/** The services whose state travels without being kept here. */
function goingOnIn(moved: Moves['moved'], { direct }: StateScene): ReadonlySet<StatefulService> {
  const others = moved.filter(({ from, to }) => from.mapping.target !== to.mapping.target)
  return new Set(direct === undefined ? [] : others.map(({ from }) => from))
}

function placeOf(from: StatefulService, goingOn: ReadonlySet<StatefulService>): Pick<Restoration, 'at'> {
  return goingOn.has(from) ? { at: 'target' } : {}
}

/** The snapshot that has just been taken; none of a service whose module takes none. */
async function taken(
  { from, to }: Moves['moved'][number],
  scene: StateScene,
  goingOn: ReadonlySet<StatefulService>,
): Promise<readonly Restoration[]> {
  const { target } = from.mapping
  const component = componentOf(from)
  const { there } = await storesOf(scene, target)
  const snapshot = await findSnapshot(there, component)
  return snapshot === undefined ? [] : [{ to, target, component, snapshot, ...placeOf(from, goingOn) }]
}

const NOTHING_RESTORED = {
  message: 'not all state was saved, so nothing was restored',
  hint: 'the old state is where it was; the same command tries again',
}
const NOT_RESTORED = {
  message: 'not all state was restored where it belongs now',
  hint: 'the old state is where it was; the same command tries again',
}
const NOT_DELETED = {
  message: 'all state was moved, but not all old state was deleted',
  hint: 'davit-delete-state -o tries that again',
}

async function showMigration({ away, moved, order, context }: Migration, scene: StateScene): Promise<void> {
  const { args } = context
  const before = { ...scene, manifest: order.old }
  const terms = moveTermsOf(args)
  const taking = args.transferOnly ? 'transfer-only' : 'take'
  const restoring = args.transferOnly ? 'transfer-only' : 'restore'
  const goingOn = goingOnIn(moved, scene)
  const restorations = moved.map(({ from, to }) => {
    const component = componentOf(from)
    return { to, target: from.mapping.target, component, snapshot: undefined, ...placeOf(from, goingOn) }
  })
  const records = await recordsByState(scene)
  await printTasks(
    [
      ...snapshotTasks(away, before, { ...terms, taking, goingOn }),
      ...restoreTasks(restorations, scene, { ...terms, restoring, records }),
      ...(args.deleteState ? await deleteTasks(departuresOf(away, order.change), before, 'once-moved') : []),
    ],
    context,
  )
}
