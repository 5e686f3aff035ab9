import {
  type AddedGeneration,
  addGeneration,
  type Deployed,
  type DeploymentPlace,
  endRollback,
  generationRoot,
  isSameManifest,
  readGeneration,
  switchGeneration,
} from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import type { Store } from '@davit/store'

export type RecordedGeneration = AddedGeneration | { readonly kind: 'switched'; readonly number: number }

/** Adds the generation on the coordinator, and keeps its profiles in the store, even if an earlier run was cut off before that. */
export async function recordGeneration(
  place: DeploymentPlace,
  deployed: Deployed,
  store: Store,
): Promise<RecordedGeneration> {
  const generation = await addGeneration(place, deployed)
  await endRollback(place)
  await keep(place, { ...deployed, ...generation }, store)
  return generation
}

/** Makes an existing generation current instead of adding one. */
export async function returnToGeneration(
  place: DeploymentPlace,
  generation: { readonly number: number; readonly manifest: Manifest },
  store: Store,
): Promise<RecordedGeneration> {
  const { number } = generation
  await keep(place, generation, store)
  const kind = await switchGeneration(place, number)
  return { kind, number }
}

/** Checks that the manifest is that of the generation which is to become current again. */
export async function checkGeneration(place: DeploymentPlace, number: number, manifest: Manifest): Promise<void> {
  const generation = await readGeneration(place, number)
  if (isSameManifest(generation.manifest, manifest)) return
  throw new DavitError('other-generation', `the manifest is not that of generation ${number}`, {
    hint: `'davit-generations --print ${number}' prints that manifest; distribute and activate it first`,
  })
}

async function keep(
  place: DeploymentPlace,
  { number, manifest }: { readonly number: number; readonly manifest: Manifest },
  store: Store,
): Promise<void> {
  await store.addRoot(generationRoot(place, number), [...manifest.profiles.values()])
}
