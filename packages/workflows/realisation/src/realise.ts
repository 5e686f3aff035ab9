import type { Report } from '@davit/diagnostics'
import { type Architecture, type InstantiatedPackage, type Manifest, type System } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { manifestOf } from '@davit/normalization'
import type { Store } from '@davit/store'

import { checkComponents } from './check-components.ts'
import { checkModules } from './check-modules.ts'
import { namingTargets } from './foreign-targets.ts'
import { packagesByTarget } from './profile/packages-by-target.ts'
import { withProfiles } from './profile/with-profiles.ts'

export interface RealisationOptions {
  readonly store: Store
  /** System of this machine, for messages. */
  readonly system: System
  readonly modules: ReadonlyMap<string, LifecycleModule>
  /** How many packages to build at a time; without it, the store's own setting. */
  readonly maxJobs?: number
  readonly report: Report
  readonly signal: AbortSignal
}

/** Builds the packages that the store lacks, makes the profile of each target, and returns the manifest. */
export async function realise(architecture: Architecture, options: RealisationOptions): Promise<Manifest> {
  // Keys do not depend on profiles: everything else in the manifest is known before anything is built.
  const manifest = manifestOf(architecture, new Map())
  checkModules(manifest, options.modules)
  await options.store.realise(packagesToRealise(architecture), options).catch(async (error: unknown) => {
    throw await namingTargets(error, architecture, options)
  })
  await checkComponents(manifest, options)
  return withProfiles(manifest, packagesByTarget(architecture), options)
}

function packagesToRealise({ services, targetPackages }: Architecture): readonly InstantiatedPackage[] {
  return [
    ...[...services.values()].flatMap(({ packages }) => [...packages.values()]),
    ...[...targetPackages.values()].flat(),
  ]
}
