import { type AnyActivity, traitsOf } from '@davit/transition'

import type { ActivityFailure } from './outcome.ts'
import { attempt, type AttemptOptions, isLockLost } from './perform.ts'
import { scheduleOf } from './schedule.ts'

export interface PhaseOptions<One extends AnyActivity> extends AttemptOptions<One> {
  readonly coresOf: (lane: string) => number
  /** Whether activities may start after these failures. After the loss of the lock none do in any case. */
  readonly mayStart: (failures: readonly ActivityFailure<One>[]) => boolean
}

export interface PhaseResult<One extends AnyActivity> {
  /** Activities that may have reached their machines. */
  readonly begun: readonly One[]
  readonly failures: readonly ActivityFailure<One>[]
  /** Activities that failed or did not begin. */
  readonly remaining: readonly One[]
}

/** Runs the activities of a phase, as many at a time as the targets' cores allow, until none runs and none may start. */
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
