import { join } from 'node:path'

import type { ProfileName } from '@davit/documents'

/** Directory with what the coordinator remembers about a deployment. */
export type DeploymentPlace = string

export function placeIn(coordinatorDirectory: string, profile: ProfileName): DeploymentPlace {
  return join(coordinatorDirectory, profile)
}

/** The same place if the directory is the usual one, below that of the state. */
export function deploymentPlace(stateDirectory: string, profile: ProfileName): DeploymentPlace {
  return placeIn(join(stateDirectory, 'coordinator'), profile)
}

export function generationsOf(place: DeploymentPlace): string {
  return join(place, 'generations')
}

/** File with the highest number of a generation, written when that generation is deleted. */
export function lastNumberFile(place: DeploymentPlace): string {
  return join(place, 'last-generation')
}

export function pointerFile(place: DeploymentPlace): string {
  return join(place, 'current')
}

export function journalOf(place: DeploymentPlace): string {
  return join(place, 'journal')
}
