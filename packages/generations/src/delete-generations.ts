import {
  currentNumber,
  deleteAllGenerations,
  deleteGenerations,
  type DeploymentPlace,
  releasePackages,
  type ReleaseOptions,
  selectGenerations,
} from '@davit/coordinator-state'
import { listGenerations } from './list-generations.ts'

/** Deletes what is selected (see `selectGenerations`), and gives up what has kept its packages. */
export async function deleteSelected(
  place: DeploymentPlace,
  selection: string,
  options: ReleaseOptions,
): Promise<void> {
  const listed = await listGenerations(place)
  const generations = listed.map(({ number, content }) => ({ number, time: content?.origin.time ?? new Date() }))
  const numbers = selectGenerations(selection, { generations, current: await currentNumber(place), now: new Date() })
  await deleteGenerations(place, numbers, (deleted) => releasePackages(deleted, options))
  const message =
    numbers.length === 0 ? 'there is no generation to delete' : `deleted ${nameOf(numbers)} of the coordinator`
  options.report({ kind: 'note', message })
}

/** Deletes the current one as well. */
export async function forgetDeployment(place: DeploymentPlace, options: ReleaseOptions): Promise<void> {
  const numbers = await deleteAllGenerations(place, (deleted) => releasePackages(deleted, options))
  if (numbers.length === 0) return options.report({ kind: 'note', message: 'there is no generation to delete' })
  options.report({
    kind: 'warning',
    message: `deleted ${nameOf(numbers)}: the coordinator has forgotten the deployment`,
    hint: 'what runs on the targets goes on running there; davit-env --undeploy --take-over stops it',
  })
}

function nameOf(numbers: readonly number[]): string {
  return `generation${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}`
}
