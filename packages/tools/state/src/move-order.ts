import type { DavitError } from '@davit/diagnostics'
import { Manifest } from '@davit/documents'
import {
  isSelected,
  type MoveTerms,
  renderTasks,
  runTasks,
  stateError,
  type StateScene,
  type StateTask,
  type TaskTerms,
} from '@davit/state-runner'
import { type DeploymentArguments, deploymentOf, type ReachedDeployment, type ToolContext } from '@davit/tool'
import { coresOf, stateBetween, type StateChange, type StatefulService, statefulServices } from '@davit/transition'

import { type ManifestToUse, readManifest } from './read-manifest.ts'
import { refuseUnknown, type SelectionArguments, selectionOf, withTargetsOf } from './selection.ts'

/** Arguments of tools that move snapshots. */
export interface MoveArguments extends SelectionArguments {
  readonly profile: string
  readonly manifest: string | undefined
  readonly deployed: boolean
  readonly oldManifest: string | undefined
  readonly upgrade: boolean
  readonly depthFirst: boolean
  readonly all: boolean
  readonly keep: number | undefined
  readonly maxConcurrentTransfers: number
  readonly skipUnreachable: boolean
  readonly activityTimeout: number | undefined
  readonly dryRun: boolean
}

/** What to move, as the documents say. */
export interface MoveOrder extends ManifestToUse {
  /** The manifest with the services before, on targets as they are now; the manifest itself if nothing is compared. */
  readonly old: Manifest
  /** Undefined if all state of the manifest is concerned. */
  readonly change: StateChange | undefined
}

/** Reads the manifests, and compares them if that is wanted. */
export async function readMoveOrder(context: ToolContext<MoveArguments>): Promise<MoveOrder> {
  const { args, readDocument } = context
  const found = await readManifest(context, deploymentOf(context).place)
  const { manifest } = found
  const given = args.oldManifest === undefined ? undefined : (await readDocument(Manifest, args.oldManifest)).value
  const before = args.upgrade ? given : undefined
  refuseUnknown(selectionOf(args), [manifest, ...(before === undefined ? [] : [before])])
  if (before === undefined) return { ...found, old: manifest, change: undefined }
  return { ...found, old: withTargetsOf(manifest, before), change: stateBetween(before, manifest) }
}

/** The selected services of which there is state to take. */
export function leavingServices({ manifest, change }: MoveOrder, args: SelectionArguments): readonly StatefulService[] {
  return (change?.away ?? statefulServices(manifest)).filter((one) => isSelected(one, selectionOf(args)))
}

/** The arguments of tools that work without the lock. */
export function withoutLock(context: ToolContext<MoveArguments>): ToolContext<MoveArguments & DeploymentArguments> {
  return { ...context, args: { ...context.args, lock: false, lockLease: 0 } }
}

export function sceneOf(
  { args, report, signal }: ToolContext<MoveArguments>,
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

interface Ending {
  /** What was not reached, if a task fails. */
  readonly message: string
  readonly hint: string
}

/** Carries out tasks, and throws an error if one fails or the user interrupts. */
export async function carryOutTasks(
  tasks: readonly StateTask[],
  context: ToolContext<MoveArguments>,
  { manifest, message, hint }: Ending & { readonly manifest: Manifest },
): Promise<void> {
  const failures = await runTasks(tasks, taskTermsOf(context, manifest))
  const { aborted, reason } = context.signal
  if (aborted) throw reason as DavitError
  if (failures.length > 0) throw stateError(failures, message, hint)
}

/** Prints what tasks would do. */
export async function printTasks(
  tasks: readonly StateTask[],
  { args, print }: Pick<ToolContext<MoveArguments>, 'args' | 'print'>,
): Promise<void> {
  const text = await renderTasks(tasks, args.depthFirst ? 'depth-first' : 'breadth-first')
  return print(text === '' ? 'nothing to do\n' : text)
}

function taskTermsOf({ args, report, signal }: ToolContext<MoveArguments>, manifest: Manifest): TaskTerms {
  return {
    order: args.depthFirst ? 'depth-first' : 'breadth-first',
    coresOf: coresOf(manifest.infrastructure),
    maxTransfers: args.maxConcurrentTransfers,
    report,
    signal,
  }
}
