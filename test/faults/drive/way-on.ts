import { LEADS_TO } from '../inject/choice.ts'
import type { Fault } from '../inject/fault.ts'
import { BEFORE, type Laboratory } from './laboratory.ts'
import type { Run } from './run.ts'
import { type Deployment, isManifestOf, type System } from './system.ts'
import { type Task, taskFor } from './task.ts'

/** Returns the task of the run that comes after an interruption. */
export function taskAfter(laboratory: Laboratory, { step, wayOn: way, coordinator, trial }: Fault): Task {
  if (way === 'repeated') return taskFor(LEADS_TO[step], trial)
  return { step: way === 'resumed' ? step : inForce(laboratory, { step, coordinator }), way, coordinator, trial }
}

/**
 * Returns the same run with the deployment to which it was to go back. From another coordinator that is what it has found on the targets:
 * they may still have been about to change when it began.
 */
export function withGoal(run: Run, laboratory: Laboratory, step: Fault['step']): Run {
  if (run.way !== 'aborted' || run.coordinator === 'same') return run
  const { manifest } = laboratory.coordinatorState()
  return { ...run, step: named(laboratory.system, step, (goal) => isManifestOf(goal, manifest)) ?? run.step }
}

/** Returns the deployment in force: the last generation, or for another coordinator the profiles of the targets. */
function inForce(laboratory: Laboratory, { step, coordinator }: Pick<Fault, 'step' | 'coordinator'>): Deployment {
  const { manifest } = laboratory.coordinatorState()
  const surveys = laboratory.survey()
  const isInForce =
    coordinator === 'same'
      ? ({ text }: Goal) => text === manifest
      : ({ profiles }: Goal) => surveys.every(({ host, profile }) => profile === (profiles.get(host) ?? ''))
  return named(laboratory.system, step, isInForce) ?? BEFORE[step]
}

type Goal = System['goals'][Deployment]

function named({ goals }: System, step: Fault['step'], isMeant: (goal: Goal) => boolean): Deployment | undefined {
  return [BEFORE[step], step].find((name) => isMeant(goals[name]))
}
