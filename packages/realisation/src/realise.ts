import type { Report } from '@davit/diagnostics'
import {
  type Architecture,
  encodeDocument,
  type InstantiatedPackage,
  type Manifest,
  ProfileManifest,
  type StorePath,
  type System,
  type TargetName,
} from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import { manifestOf } from '@davit/normalization'
import { modulesOf, packagesOf, profileManifestOf } from '@davit/profile'
import type { ProfileContents, Store } from '@davit/store'

import { checkModules } from './check-modules.ts'
import { namingTargets } from './foreign-targets.ts'

export interface RealisationOptions {
  readonly store: Store
  /** Of this machine, for messages. */
  readonly system: System
  readonly modules: ReadonlyMap<string, LifecycleModule>
  /** How many packages are built at a time; without it, what the store's settings say. */
  readonly maxJobs?: number
  readonly report: Report
  readonly signal: AbortSignal
}

/** Builds what the store lacks, makes the profile of each target, and says what is to be deployed. */
export async function realise(architecture: Architecture, options: RealisationOptions): Promise<Manifest> {
  // Keys do not depend on profiles: everything but these is known before anything is built.
  const manifest = manifestOf(architecture, new Map())
  checkModules(manifest, options.modules)
  await options.store.realise(packagesToRealise(architecture), options).catch(async (error: unknown) => {
    throw await namingTargets(error, architecture, options)
  })
  const modulePaths = await addModules(manifest, options)
  const targets = [...architecture.infrastructure.keys()]
  const paths = await options.store.addProfiles(
    targets.map((target) => profileOf(architecture, manifest, { target, modulePaths })),
  )
  return { ...manifest, profiles: new Map(targets.map((target, index) => [target, paths[index] as StorePath])) }
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
  readonly target: TargetName
  readonly modulePaths: ModulePaths
}

function profileOf(
  architecture: Architecture,
  manifest: Manifest,
  { target, modulePaths }: ProfileTerms,
): ProfileContents {
  const types = new Set(modulesOf(manifest, target))
  return {
    name: target,
    packages: packagesOf(architecture, target),
    profileManifest: encodeDocument(ProfileManifest.on(target), profileManifestOf(manifest, target), 'xml'),
    modules: new Map([...modulePaths].filter(([type]) => types.has(type))),
  }
}
