import { BEFORE, type Laboratory, textOf } from './laboratory.ts'
import { isOfBuilder, partsOf, type Points } from '../inject/points.ts'
import type { Run } from './run.ts'
import { type Step, STEPS } from './system.ts'
import { taskFor } from './task.ts'

/** Returns the points that davit-env passes in each step: with models until there is a manifest, and with a manifest from then on. */
export async function trace(place: Laboratory): Promise<Points> {
  const points: Record<string, readonly string[]> = {}
  for (const step of STEPS) {
    await place.reach(BEFORE[step])
    const building = step === 'failing' ? [] : await buildingOf(place, step)
    const { passed } = await traced(place, step)
    const connecting = (passed ?? []).filter((point) => !isOfBuilder(point))
    points[step] = [...building, ...(step === 'failing' ? undoing(connecting) : connecting)]
  }
  return points as unknown as Points
}

async function buildingOf(place: Laboratory, step: Step): Promise<readonly string[]> {
  await place.beginWithModels()
  try {
    const { passed } = await traced(place, step, { dryRun: true })
    return (passed ?? []).filter(isOfBuilder)
  } finally {
    await place.endWithModels()
  }
}

async function traced(place: Laboratory, step: Step, how: { readonly dryRun?: boolean } = {}): Promise<Run> {
  const run = await place.interrupt(taskFor(step), how)
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
