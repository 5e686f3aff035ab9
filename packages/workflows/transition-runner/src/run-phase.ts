import { type AnyActivity, traitsOf } from '@davit/transition'

import type { ActivityFailure } from './outcome.ts'
import { attempt, type AttemptOptions, isLockLost } from './perform.ts'
import { scheduleOf } from './schedule.ts'

export interface PhaseOptions<One extends AnyActivity> extends AttemptOptions<One> {
  readonly coresOf: (lane: string) => number
  /** Asked before anything new starts. After the loss of the lock nothing does in any case. */
  readonly mayStart: (failures: readonly ActivityFailure<One>[]) => boolean
}

export interface PhaseResult<One extends AnyActivity> {
  /** What may have reached its machine. */
  readonly begun: readonly One[]
  readonly failures: readonly ActivityFailure<One>[]
  /** Failed, or not begun. */
  readonly remaining: readonly One[]
}

/** Runs what may run, as much at a time as the targets' cores allow, and ends when nothing runs any more. */
export async function runPhase<One extends AnyActivity>(
  activities: readonly One[],
  options: PhaseOptions<One>,
): Promise<PhaseResult<One>> {
  const { kinds, coresOf } = options
  const schedule = scheduleOf(activities, { coresOf, lanesOf: (one) => traitsOf(kinds, one).lanes(one) })
  const begun = new Set<One>()
  const failures: ActivityFailure<One>[] = []
  const done = new Set<One>()

  let lockLost = false

  const startWhatMay = async (): Promise<void> => {
    if (!lockLost && options.mayStart(failures)) await Promise.all(schedule.startable().map(run))
  }
  const run = async (activity: One): Promise<void> => {
    begun.add(activity)
    const failure = await attempt(activity, options)
    if (failure === undefined) {
      done.add(activity)
      schedule.succeeded(activity)
    } else {
      failures.push(failure)
      if (failure.ending === 'not-begun') begun.delete(activity)
      lockLost ||= isLockLost(failure)
      schedule.failed(activity)
    }
    await startWhatMay()
  }

  await startWhatMay()
  return { begun: [...begun], failures, remaining: activities.filter((activity) => !done.has(activity)) }
}
