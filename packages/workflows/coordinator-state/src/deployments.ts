import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import type { ProfileName } from '@davit/documents'
import { isMissing } from '@davit/files'

import { type DeploymentPlace, generationsOf } from './place.ts'

/** Lists the other deployments that have generations on this coordinator. */
export async function otherDeployments(place: DeploymentPlace): Promise<readonly ProfileName[]> {
  const coordinator = dirname(place)
  const names = await readdir(coordinator).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const others = names.filter((name) => name !== basename(place) && NAME.test(name)).toSorted()
  const isDeployed = await Promise.all(others.map((name) => hasGenerations(join(coordinator, name))))
  return others.filter((_, index) => isDeployed[index]) as ProfileName[]
}

/** Hint for a deployment without generations, which names the deployments that have some. */
export async function nothingDeployed(place: DeploymentPlace): Promise<string> {
  const names = await otherDeployments(place)
  const others = names.map((name) => `'${name}'`)
  if (others.length === 0)
    return 'nothing has been deployed from this coordinator; if its state was lost, davit-reconstruct reads back what targets have'
  const way = others.length === 1 ? `select it with -p ${names[0]}` : 'select one of them with -p NAME'
  return `nothing has been deployed under this name from this coordinator, only ${others.join(', ')}; ${way}`
}

/** Valid name of a deployment; davit does not create directories with other names. */
const NAME = /^[A-Za-z0-9_][\w.+-]*$/

/** Whether a directory contains generations; it may be something else. */
async function hasGenerations(place: DeploymentPlace): Promise<boolean> {
  const names = await readdir(generationsOf(place)).catch(() => [])
  return names.some((name) => /^[1-9]\d*$/.test(name))
}
