import {
  currentNumber,
  deleteAllGenerations,
  deleteGenerations,
  type DeploymentPlace,
  generationsDeleted,
  releasePackages,
  type ReleaseOptions,
  selectGenerations,
} from '@davit/coordinator-state'
import { listGenerations } from './list-generations.ts'
import { say } from './messages.ts'

/** Deletes the selected generations (see `selectGenerations`), and releases their packages. */
export async function deleteSelected(
  place: DeploymentPlace,
  selection: string,
  options: ReleaseOptions,
): Promise<void> {
  const listed = await listGenerations(place)
  const generations = listed.map(({ number, content }) => ({ number, time: content?.origin.time ?? new Date() }))
  const numbers = selectGenerations(selection, { generations, current: await currentNumber(place), now: new Date() })
  await deleteGenerations(place, numbers, (deleted) => releasePackages(deleted, options))
  options.report(numbers.length === 0 ? say('no-generation-to-delete') : generationsDeleted(numbers))
}

/** Deletes all generations, including the current one. */
export async function forgetDeployment(place: DeploymentPlace, options: ReleaseOptions): Promise<void> {
  const numbers = await deleteAllGenerations(place, (deleted) => releasePackages(deleted, options))
  options.report(
    numbers.length === 0 ? say('no-generation-to-delete') : say('deployment-forgotten', { generations: numbers }),
  )
}
