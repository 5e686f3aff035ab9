import { join } from 'node:path'

import type { ProfileName } from '@davit/documents'

/** Directory of what the coordinator remembers of a deployment, below the state directory of this user. */
export type DeploymentPlace = string

export function deploymentPlace(stateDirectory: string, profile: ProfileName): DeploymentPlace {
  return join(stateDirectory, 'coordinator', profile)
}

export function generationsOf(place: DeploymentPlace): string {
  return join(place, 'generations')
}

/** Holds the highest number that a generation had when some were deleted. */
export function lastNumberFile(place: DeploymentPlace): string {
  return join(place, 'last-generation')
}

export function pointerFile(place: DeploymentPlace): string {
  return join(place, 'current')
}

export function journalOf(place: DeploymentPlace): string {
  return join(place, 'journal')
}
