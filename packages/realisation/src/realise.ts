import type { Report } from '@davit/diagnostics'
import {
  type Architecture,
  encodeDocument,
  type Manifest,
  ProfileManifest,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { manifestOf } from '@davit/normalization'
import { modulesOf, packagesOf, profileManifestOf } from '@davit/profile'
import type { Store } from '@davit/store'

import { checkModules } from './check-modules.ts'

export interface RealisationOptions {
  readonly store: Store
  readonly modules: ReadonlyMap<string, LifecycleModule>
  /** How many packages are built at a time. */
  readonly maxJobs: number
  readonly report: Report
  readonly signal: AbortSignal
}

/** Builds what the store lacks, makes the profile of each target, and says what is to be deployed. */
export async function realise(architecture: Architecture, options: RealisationOptions): Promise<Manifest> {
  const { store, modules } = options
  // Keys do not depend on profiles: everything but these is known before anything is built.
  const manifest = manifestOf(architecture, new Map())
  checkModules(manifest, modules)
  await store.realise(packagesToRealise(architecture), options)
  const types = new Set([...architecture.infrastructure.keys()].flatMap((target) => modulesOf(manifest, target)))
  const modulePaths = new Map<string, StorePath>()
  for (const type of types) {
    const module = modules.get(type)
    if (module !== undefined) modulePaths.set(type, await store.addModule(type, module))
  }
  const profiles = new Map<TargetName, StorePath>()
  for (const target of architecture.infrastructure.keys()) {
    profiles.set(target, await addProfile(architecture, manifest, { store, target, modulePaths }))
  }
  return { ...manifest, profiles }
}

function packagesToRealise({ services, targetPackages }: Architecture) {
  return [
    ...[...services.values()].flatMap(({ packages }) => [...packages.values()]),
    ...[...targetPackages.values()].flat(),
  ]
}

interface ProfileTerms {
  readonly store: Store
  readonly target: TargetName
  readonly modulePaths: ReadonlyMap<string, StorePath>
}

function addProfile(
  architecture: Architecture,
  manifest: Manifest,
  { store, target, modulePaths }: ProfileTerms,
): Promise<StorePath> {
  const types = modulesOf(manifest, target)
  return store.addProfile({
    name: target,
    packages: packagesOf(architecture, target),
    profileManifest: encodeDocument(ProfileManifest.on(target), profileManifestOf(manifest, target), 'xml'),
    modules: new Map(
      types.flatMap((type) => (modulePaths.has(type) ? [[type, modulePaths.get(type) as StorePath]] : [])),
    ),
  })
}
