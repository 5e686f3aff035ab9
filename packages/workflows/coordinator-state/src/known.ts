import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isMissing, makeDirectories, writeFileAtomic } from '@davit/files'

import { generationNumbers } from './generations.ts'
import type { DeploymentPlace } from './place.ts'

/** Whether this coordinator has a generation of the deployment, or has begun an activation that may have left services. */
export async function isKnown(place: DeploymentPlace): Promise<boolean> {
  return (await generationNumbers(place)).length > 0 || (await hasBegun(place))
}

/** Records, before the first activation from this coordinator, that one was begun. */
export async function markBegun(place: DeploymentPlace): Promise<void> {
  makeDirectories(place, 0o700)
  await writeFileAtomic(fileOf(place), '')
}

/** Undoes `markBegun` once everything is as it was before. */
export async function unmarkBegun(place: DeploymentPlace): Promise<void> {
  await rm(fileOf(place), { force: true })
}

function fileOf(place: DeploymentPlace): string {
  return join(place, 'begun')
}

async function hasBegun(place: DeploymentPlace): Promise<boolean> {
  try {
    return (await stat(fileOf(place))).isFile()
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
