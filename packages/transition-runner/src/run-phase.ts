import type { Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { Activity } from '@davit/transition'

import type { ActivityFailure } from './outcome.ts'
import { attempt, isLockLost, type Perform } from './perform.ts'
import { scheduleOf } from './schedule.ts'

export interface PhaseOptions {
  readonly perform: Perform
  readonly coresOf: (target: TargetName) => number
  readonly report: Report
  /** Asked before anything new starts. After the loss of the lock nothing does in any case. */
  readonly mayStart: (failures: readonly ActivityFailure[]) => boolean
}

export interface PhaseResult {
  /** What may have reached its machine. */
  readonly begun: readonly Activity[]
  readonly failures: readonly ActivityFailure[]
  /** Failed, or not begun. */
  readonly remaining: readonly Activity[]
}

/** Runs what may run, as much at a time as the targets' cores allow, and ends when nothing runs any more. */
export async function runPhase(activities: readonly Activity[], options: PhaseOptions): Promise<PhaseResult> {
  const schedule = scheduleOf(activities, options.coresOf)
  const begun = new Set<Activity>()
  const failures: ActivityFailure[] = []
  const done = new Set<Activity>()

  let lockLost = false

  const startWhatMay = async (): Promise<void> => {
    if (!lockLost && options.mayStart(failures)) await Promise.all(schedule.startable().map(run))
  }
  const run = async (activity: Activity): Promise<void> => {
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
