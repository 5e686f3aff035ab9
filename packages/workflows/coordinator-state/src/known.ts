import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isMissing, makeDirectories, writeFileAtomic } from '@davit/files'

import { generationNumbers } from './generations.ts'
import type { DeploymentPlace } from './place.ts'

/** Whether this coordinator has a generation of the deployment, or has begun to activate one and may have left something. */
export async function isKnown(place: DeploymentPlace): Promise<boolean> {
  return (await generationNumbers(place)).length > 0 || (await hasBegun(place))
}

/** Before the first activation from here. */
export async function markBegun(place: DeploymentPlace): Promise<void> {
  makeDirectories(place, 0o700)
  await writeFileAtomic(fileOf(place), '')
}

/** Where all is as it was before. */
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
