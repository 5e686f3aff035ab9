import { copyClosure, distribute, distributionError } from '@davit/distribution'
import type { Manifest, StorePath, TargetName } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { profileAnew } from '@davit/realisation'
import type { Report } from '@davit/diagnostics'
import type { Store } from '@davit/store'
import { type ReachedTargets, targetsToUse } from '@davit/target'

import { placedBy } from './placed.ts'
import type { Adoption } from './read-adoption.ts'

export interface PreparationTerms {
  readonly store: Store
  readonly modules: ReadonlyMap<string, LifecycleModule>
  readonly partial: boolean
  readonly report: Report
  readonly signal: AbortSignal
}

const TRANSFERS = 4

/**
 * Makes profiles of davit for what Disnix has deployed, and sends them: what they need is fetched before, as far as the coordinator
 * lacks it. Returns the manifest with these profiles. What davit has deployed is only fetched.
 */
export async function preparedAdoption(
  { manifest, originals }: Adoption,
  reached: ReachedTargets<'carry'>,
  { modules, partial, ...options }: PreparationTerms,
): Promise<Manifest> {
  const placedOn = placedBy(manifest)
  const unreachable = partial ? 'skip' : 'refuse'
  for (const target of targetsToUse(reached, { ...options, unreachable })) {
    const paths = originals.has(target.name) ? placedOn(target.name).packages : profileOf(target.name, manifest)
    // One after the other, since most of it is the same.
    // oxlint-disable-next-line no-await-in-loop
    if (paths.length > 0) await copyClosure(paths, target, { ...options, direction: 'from' })
  }
  if (originals.size === 0) return manifest
  const { profiles: made } = await profileAnew(manifest, { ...options, modules })
  const profiles = new Map(
    [...manifest.profiles].map(([target, path]) => [target, originals.has(target) ? (made.get(target) ?? path) : path]),
  )
  const adopted = { ...manifest, profiles }
  const outcome = await distribute(adopted, reached, { ...options, unreachable, maxTransfers: TRANSFERS })
  if (outcome.failed.size > 0) throw distributionError(outcome)
  return adopted
}

function profileOf(target: TargetName, { profiles }: Manifest): readonly StorePath[] {
  const path = profiles.get(target)
  return path === undefined ? [] : [path]
}
