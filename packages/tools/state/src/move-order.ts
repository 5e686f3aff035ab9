import type { DavitError } from '@davit/diagnostics'
import { Manifest, type TargetName } from '@davit/documents'
import {
  type MoveTerms,
  renderTasks,
  runTasks,
  stateError,
  type StateScene,
  type StateTask,
  type TaskTerms,
} from '@davit/state-runner'
import {
  type DeploymentArguments,
  deploymentOf,
  type JournalPurpose,
  type ReachedDeployment,
  type StepContext,
  type ToolContext,
  trustUnless,
  withDeployment,
} from '@davit/tool'
import { coresOf, stateBetween, type StateChange, type StatefulService, statefulServices } from '@davit/transition'

import { say } from './messages.ts'
import { type ManifestToUse, readManifest } from './read-manifest.ts'
import { refuseUnknown, type SelectionArguments, selectionOf, withTargetsOf } from './selection.ts'

/** Arguments that say which state is concerned. */
export interface OrderArguments extends SelectionArguments {
  readonly profile: string
  readonly manifest: string | undefined
  readonly deployed: boolean
  readonly oldManifest: string | undefined
  readonly upgrade: boolean
}

/** Arguments that say how tasks are carried out. */
export interface TaskArguments {
  readonly depthFirst: boolean
  readonly maxConcurrentTransfers: number
}

/** Arguments of tools that move snapshots. */
export interface MoveArguments extends OrderArguments, TaskArguments {
  readonly all: boolean
  readonly keep: number | undefined
  readonly skipUnreachable: boolean
  readonly activityTimeout: number | undefined
  readonly dryRun: boolean
  readonly trustPrograms: boolean
}

/** What to move, as the documents say. */
export interface MoveOrder extends ManifestToUse {
  /** The manifest with the services before, on targets as they are now; the manifest itself if nothing is compared. */
  readonly old: Manifest
  /** Undefined if all state of the manifest is concerned. */
  readonly change: StateChange | undefined
}

/** Reads the manifests, and compares them if that is wanted. */
export async function readMoveOrder(
  context: Pick<ToolContext<OrderArguments>, 'args' | 'readDocument' | 'environment' | 'privileged'>,
): Promise<MoveOrder> {
  const { args, readDocument } = context
  const found = await readManifest(context, deploymentOf(context).place)
  const given = args.oldManifest === undefined ? undefined : (await readDocument(Manifest, args.oldManifest)).value
  return moveOrderOf(found, args.upgrade ? given : undefined, args)
}

/** Compares a manifest with the one before, if there is one. */
export function moveOrderOf(found: ManifestToUse, before: Manifest | undefined, args: SelectionArguments): MoveOrder {
  const { manifest } = found
  refuseUnknown(selectionOf(args), [manifest, ...(before === undefined ? [] : [before])])
  if (before === undefined) return { ...found, old: manifest, change: undefined }
  return { ...found, old: withTargetsOf(manifest, before), change: stateBetween(before, manifest) }
}

/** The services whose state is taken, moved or deleted, before a selection. */
export function servicesBefore({ manifest, change }: MoveOrder): readonly StatefulService[] {
  return change?.away ?? statefulServices(manifest)
}

/** The arguments of tools that work without the lock. */
export function withoutLock(context: ToolContext<MoveArguments>): ToolContext<MoveArguments & DeploymentArguments> {
  return { ...context, args: { ...context.args, lock: false, lockLease: 0 } }
}

export interface ErrandArguments extends DeploymentArguments {
  readonly dryRun: boolean
  readonly trustPrograms: boolean
}

/** A run, with a place for what is shown or handed on. */
export type ErrandContext = StepContext<ErrandArguments> & Pick<ToolContext<unknown>, 'print'>

interface Errand {
  readonly order: MoveOrder
  /** Whether there is nothing to do, which is said. */
  readonly isEmpty: boolean
  readonly purpose: JournalPurpose
  /** Targets that are needed even if `--on` leaves them out. */
  readonly besides?: readonly TargetName[]
}

/** Works on the targets of a manifest, unless there is nothing to do, and prints the manifest at the end, if it was given. */
export async function runErrand(
  context: ErrandContext,
  { order, isEmpty, purpose, besides = [] }: Errand,
  use: (reached: ReachedDeployment) => Promise<void>,
): Promise<void> {
  const { args, print, report } = context
  const { manifest, old, text, change } = order
  if (isEmpty) report(say(change === undefined ? 'no-deploy-state' : 'no-state-moved'))
  else {
    const trust = await trustUnless(context)
    const run = { manifest, others: [old], besides, text, purpose: args.dryRun ? undefined : purpose, trust }
    await withDeployment(context, run, use)
  }
  if (order.isGiven && !args.dryRun) await print(text)
}

interface SceneContext extends Pick<ToolContext<unknown>, 'report' | 'signal'> {
  readonly args: { readonly activityTimeout: number | undefined }
}

export function sceneOf(
  { args, report, signal }: SceneContext,
  { targets, stateMachines, profile }: ReachedDeployment,
  manifests: Pick<StateScene, 'manifest' | 'others'>,
): StateScene {
  const places = new Map(targets.map((target) => [target.name, target]))
  return {
    machines: stateMachines,
    profile,
    places,
    timeoutSeconds: args.activityTimeout,
    ...manifests,
    report,
    signal,
  }
}

export function moveTermsOf({ all, keep }: MoveArguments): MoveTerms {
  return { generations: all ? 'all' : 'latest', keep }
}

type TaskContext = Pick<ToolContext<TaskArguments>, 'args' | 'report' | 'signal'>

interface Ending {
  /** What was not reached, if a task fails. */
  readonly message: string
  readonly hint: string
}

/** Carries out tasks, and throws an error if one fails or the user interrupts. */
export async function carryOutTasks(
  tasks: readonly StateTask[],
  context: TaskContext,
  { manifest, message, hint }: Ending & { readonly manifest: Manifest },
): Promise<void> {
  const terms = taskTermsOf(context, manifest)
  const failures = await runTasks(tasks, terms)
  const { aborted, reason } = terms.signal
  if (aborted) throw reason as DavitError
  if (failures.length > 0) throw stateError(failures, message, hint)
}

/** Prints what tasks would do. */
export async function printTasks(
  tasks: readonly StateTask[],
  { args, print }: Pick<ToolContext<TaskArguments>, 'args' | 'print'>,
): Promise<void> {
  const text = await renderTasks(tasks, args.depthFirst ? 'depth-first' : 'breadth-first')
  return print(text === '' ? 'nothing to do\n' : text)
}

function taskTermsOf({ args, report, signal }: TaskContext, manifest: Manifest): TaskTerms {
  return {
    order: args.depthFirst ? 'depth-first' : 'breadth-first',
    coresOf: coresOf(manifest.infrastructure),
    maxTransfers: args.maxConcurrentTransfers,
    report,
    signal,
  }
}
