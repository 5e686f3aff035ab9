import type { Report } from '@davit/diagnostics'
import {
  type Architecture,
  encodeDocument,
  type InstantiatedPackage,
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
  // Keys do not depend on profiles: everything but these is known before anything is built.
  const manifest = manifestOf(architecture, new Map())
  checkModules(manifest, options.modules)
  await options.store.realise(packagesToRealise(architecture), options)
  const modulePaths = await addModules(manifest, options)
  // All at a time, so that they share what it costs to write them safely.
  const profiles = await Promise.all(
    [...architecture.infrastructure.keys()].map(async (target): Promise<[TargetName, StorePath]> => {
      return [target, await addProfile(architecture, manifest, { store: options.store, target, modulePaths })]
    }),
  )
  return { ...manifest, profiles: new Map(profiles) }
}

function packagesToRealise({ services, targetPackages }: Architecture): readonly InstantiatedPackage[] {
  return [
    ...[...services.values()].flatMap(({ packages }) => [...packages.values()]),
    ...[...targetPackages.values()].flat(),
  ]
}

type ModulePaths = ReadonlyMap<string, StorePath>

async function addModules(manifest: Manifest, { store, modules }: RealisationOptions): Promise<ModulePaths> {
  const types = new Set([...manifest.infrastructure.keys()].flatMap((target) => modulesOf(manifest, target)))
  const needed = [...modules].filter(([type]) => types.has(type))
  const paths = needed.map(async ([type, module]): Promise<[string, StorePath]> => {
    return [type, await store.addModule(type, module)]
  })
  return new Map(await Promise.all(paths))
}

interface ProfileTerms {
  readonly store: Store
  readonly target: TargetName
  readonly modulePaths: ModulePaths
}

function addProfile(
  architecture: Architecture,
  manifest: Manifest,
  { store, target, modulePaths }: ProfileTerms,
): Promise<StorePath> {
  const types = new Set(modulesOf(manifest, target))
  return store.addProfile({
    name: target,
    packages: packagesOf(architecture, target),
    profileManifest: encodeDocument(ProfileManifest.on(target), profileManifestOf(manifest, target), 'xml'),
    modules: new Map([...modulePaths].filter(([type]) => types.has(type))),
  })
}
