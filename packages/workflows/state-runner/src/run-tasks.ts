import { DavitError, hasCode, type Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { resolveSecrets } from '@davit/target'

import { kindsIn, type StateStep, type StateTask, type StepOutcome, type TaskFailure, type TaskOrder } from './task.ts'

export interface TaskTerms {
  readonly order: TaskOrder
  /** How many activities may run on a target at a time. */
  readonly coresOf: (target: string) => number
  /** Of how many targets snapshots travel at a time. */
  readonly maxTransfers: number
  readonly report: Report
  readonly signal: AbortSignal
}

/**
 * Carries out tasks: step by step for all of them, or one task of a target after the other. A step that fails ends its task, and no other
 * one. After a signal, no further step begins. Rejects if the lock is lost, and before anything is begun if a secret cannot be resolved.
 */
export async function runTasks(tasks: readonly StateTask[], terms: TaskTerms): Promise<readonly TaskFailure[]> {
  const needs = tasks.flatMap(({ steps }) => steps.flatMap((step) => step.needs ?? []))
  await resolveSecrets(needs)
  const failures: TaskFailure[] = []
  const losses: DavitError[] = []
  const perform = async (task: StateTask, step: StateStep) => {
    if (terms.signal.aborted || losses.length > 0 || failures.some((one) => one.task === task)) return
    const outcome = await reported(task, step, terms.report).catch((error: unknown) => {
      if (!hasCode(error, 'lock-lost')) throw error
      losses.push(error)
      return undefined
    })
    if (outcome?.kind === 'failed') failures.push({ task, step, ...outcome })
  }
  if (terms.order === 'depth-first') {
    // What all do at one target is done one after the other.
    const placed = tasks.map((task) => ({ task, target: task.steps.find(({ at }) => at)?.at ?? task.target }))
    await onTargets(placed, { targets: terms.maxTransfers, tasksOf: () => 1 }, async ({ task }) => {
      for (const step of task.steps) await perform(task, step)
    })
  } else {
    for (const kind of kindsIn(tasks)) {
      const ofKind = tasks.map((task) => ({ ...task, task, steps: task.steps.filter((one) => one.kind === kind) }))
      const placed = ofKind.map((one) => ({ ...one, target: one.steps[0]?.at ?? one.target }))
      await onTargets(placed, limitsOf(kind, terms), async ({ task, steps }) => {
        for (const step of steps) await perform(task, step)
      })
    }
  }
  const [lost] = losses
  if (lost !== undefined) throw lost
  return failures
}

interface Limits {
  readonly targets: number
  readonly tasksOf: (target: TargetName) => number
}

function limitsOf(kind: StateStep['kind'], { coresOf, maxTransfers }: TaskTerms): Limits {
  const isActivity = kind === 'snapshot' || kind === 'verify' || kind === 'restore' || kind === 'delete'
  return isActivity ? { targets: Infinity, tasksOf: coresOf } : { targets: maxTransfers, tasksOf: () => 1 }
}

/** Works on the tasks of some targets at a time, and on some tasks of each. */
async function onTargets<One extends Pick<StateTask, 'target'>>(
  tasks: readonly One[],
  { targets, tasksOf }: Limits,
  work: (task: One) => Promise<void>,
): Promise<void> {
  const names = [...new Set(tasks.map(({ target }) => target))]
  await atATime(names, targets, async (name) => {
    const own = tasks.filter(({ target }) => target === name)
    await atATime(own, tasksOf(name), work)
  })
}

async function atATime<One>(all: readonly One[], limit: number, work: (one: One) => Promise<void>): Promise<void> {
  const waiting = all.values()
  const worker = async () => {
    for (const one of waiting) await work(one)
  }
  await Promise.all(Array.from({ length: Math.min(limit, all.length) }, worker))
}

async function reported({ stateful, target }: StateTask, step: StateStep, report: Report): Promise<StepOutcome> {
  const { mapping, service, component } = stateful
  const id = `${step.kind} ${target} ${mapping.container} ${component} ${mapping.service}`
  const activity = { kind: step.kind, service: service.name, container: mapping.container }
  const event = { id, target, step: step.text, activity }
  report({ kind: 'started', ...event })
  const outcome = await step.run().catch((error: unknown): StepOutcome => {
    if (hasCode(error, 'lock-lost') || !(error instanceof Error)) throw error
    return { kind: 'failed', message: withHint(error) }
  })
  if (outcome.kind === 'succeeded') report({ ...event, ...bytesOf(outcome), kind: 'finished' })
  else report({ ...event, ...outcome })
  return outcome
}

function bytesOf({ bytes }: { readonly bytes?: number }): { readonly bytes?: number } {
  return bytes === undefined ? {} : { bytes }
}

/** Anything but an error that people can act on is a bug. */
function withHint(error: Error): string {
  if (!(error instanceof DavitError)) throw error
  return error.hint === undefined ? error.message : `${error.message}: ${error.hint}`
}
