import { createHash } from 'node:crypto'

import { type AddedGeneration, addGeneration, type DeploymentPlace } from '@davit/coordinator-state'
import type { Manifest } from '@davit/documents'
import type { Store } from '@davit/store'

/** Adds the generation on the coordinator; its profiles are kept in the store, also when that was cut off before. */
export async function recordGeneration(
  place: DeploymentPlace,
  deployed: { readonly manifest: Manifest; readonly text: string },
  store: Store,
): Promise<AddedGeneration> {
  const generation = await addGeneration(place, deployed)
  await store.addRoot(rootOf(place, generation), [...deployed.manifest.profiles.values()])
  return generation
}

/** Of this deployment of this coordinator alone: several may share a store, and names run together in many ways. */
function rootOf(place: DeploymentPlace, { number }: AddedGeneration): string {
  const hash = createHash('sha256').update(place).digest('hex')
  return `generation-${number}-${hash.slice(0, 32)}`
}
