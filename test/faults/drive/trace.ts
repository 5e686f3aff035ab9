import { BEFORE, type Laboratory, textOf } from './laboratory.ts'
import { type AllPoints, isOfBuilder, partsOf, type Points } from '../inject/points.ts'
import type { Run } from './run.ts'
import { type Step, STEPS } from './system.ts'
import { type Task, taskFor } from './task.ts'

/** Returns the points of all runs. One laboratory, or two at the same time, run each step once. */
export async function trace([place, other = place]: readonly [Laboratory, ...Laboratory[]]): Promise<AllPoints> {
  if (other === place) return { usual: await traceUsual(place), trial: await traceTrial(place) }
  const [usual, trial] = await Promise.all([traceUsual(place), traceTrial(other)])
  return { usual, trial }
}

/** Returns the points that davit-env passes in each step: with models until there is a manifest, and with a manifest from then on. */
async function traceUsual(place: Laboratory): Promise<Points> {
  return stepByStep(async (step) => {
    await place.reach(BEFORE[step])
    const building = step === 'failing' ? [] : await buildingOf(place, step)
    return [...building, ...(await connectingOf(place, taskFor(step), step))]
  })
}

/** Returns the points that davit-env passes from a manifest on, if it has to confirm what it deploys. */
async function traceTrial(place: Laboratory): Promise<Points> {
  return stepByStep(async (step) => {
    await place.reach(BEFORE[step])
    return connectingOf(place, taskFor(step, 'confirmed'), step)
  })
}

async function stepByStep(pointsOf: (step: Step) => Promise<readonly string[]>): Promise<Points> {
  const points: Record<string, readonly string[]> = {}
  for (const step of STEPS) points[step] = await pointsOf(step)
  return points as unknown as Points
}

async function connectingOf(place: Laboratory, task: Task, step: Step): Promise<readonly string[]> {
  const { passed } = await traced(place, task)
  const points = (passed ?? []).filter((point) => !isOfBuilder(point))
  return step === 'failing' ? undoing(points) : points
}

async function buildingOf(place: Laboratory, step: Step): Promise<readonly string[]> {
  await place.beginWithModels()
  try {
    const { passed } = await traced(place, taskFor(step), { dryRun: true })
    return (passed ?? []).filter(isOfBuilder)
  } finally {
    await place.endWithModels()
  }
}

async function traced(place: Laboratory, task: Task, how: { readonly dryRun?: boolean } = {}): Promise<Run> {
  const { step } = task
  const run = await place.interrupt(task, how)
  const expected = step === 'failing' ? 1 : 0
  if (run.status !== expected) throw new Error(`'${step}' ended with status ${run.status}: ${textOf(run.said())}`)
  if (step !== 'failing' && how.dryRun !== true) place.reached(step)
  return run
}

/** Returns the points from the start of the activity that fails. */
function undoing(points: readonly string[]): readonly string[] {
  const failed = points.findIndex((point) => partsOf(point).moment === 'failed')
  return points.slice(points.slice(0, failed).findLastIndex((point) => partsOf(point).moment === 'before-start'))
}
