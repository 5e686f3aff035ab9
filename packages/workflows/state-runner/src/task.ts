import { printableLines } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { MachineNeed } from '@davit/target'
import type { StatefulService } from '@davit/transition'

/** What is done about the state of one component, in this order. */
export type StepKind = 'snapshot' | 'fetch' | 'send' | 'verify' | 'restore' | 'delete' | 'clean'

export type StepOutcome =
  | {
      readonly kind: 'succeeded'
      /** Bytes that travelled. */
      readonly bytes?: number
    }
  | { readonly kind: 'failed'; readonly message: string; readonly log?: string }

/** A step of a plan: its text is shown by a dry run, and while it is done. */
export interface StateStep {
  readonly kind: StepKind
  /** What is done, without the target: `snapshot db in mysql-database`. */
  readonly text: string
  /** Where, for a plan: `on t1`. */
  readonly where: string
  /** Target that does it, if it is another one than that of its task. */
  readonly at?: TargetName
  /** Finds out what else is known, for a plan. */
  details?(): Promise<readonly string[]>
  /** Secrets without which nothing is to be begun. */
  readonly needs?: readonly MachineNeed[]
  run(): Promise<StepOutcome>
}

/** The steps for the state of one component on one target. */
export interface StateTask {
  readonly stateful: StatefulService
  readonly target: TargetName
  readonly steps: readonly StateStep[]
}

export interface TaskFailure {
  readonly task: StateTask
  readonly step: StateStep
  readonly message: string
  readonly log?: string
}

export type TaskOrder = 'breadth-first' | 'depth-first'

/** Renders the steps of tasks in the order in which they are done, a line for each. */
export async function renderTasks(tasks: readonly StateTask[], order: TaskOrder): Promise<string> {
  const steps =
    order === 'depth-first'
      ? tasks.flatMap((task) => task.steps)
      : kindsIn(tasks).flatMap((kind) => tasks.flatMap((task) => task.steps.filter((step) => step.kind === kind)))
  return printableLines(await Promise.all(steps.map(renderStep)))
}

async function renderStep(step: StateStep): Promise<string> {
  const details = (await step.details?.()) ?? []
  return `${step.text} ${step.where}${details.length === 0 ? '' : ` (${details.join('; ')})`}`
}

/** The kinds of the steps, in the order of the steps. */
export function kindsIn(tasks: readonly StateTask[]): readonly StepKind[] {
  return ORDER.filter((kind) => tasks.some(({ steps }) => steps.some((step) => step.kind === kind)))
}

const ORDER: readonly StepKind[] = ['snapshot', 'fetch', 'send', 'verify', 'restore', 'delete', 'clean']
