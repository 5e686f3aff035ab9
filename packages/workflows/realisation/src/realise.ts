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
import type { ProfileContents, Store } from '@davit/store'

import { checkComponents } from './check-components.ts'
import { checkModules } from './check-modules.ts'
import { namingTargets } from './foreign-targets.ts'
import { modulesByTarget } from './profile/modules-by-target.ts'
import { packagesByTarget } from './profile/packages-by-target.ts'
import { profileManifests } from './profile/profile-manifests.ts'

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
  const types = typesByTarget(manifest, options)
  const modulePaths = await addModules(types, options)
  const targets = [...architecture.infrastructure.keys()]
  const profileOf = profileContents(architecture, manifest, { types, modulePaths })
  const paths = await options.store.addProfiles(targets.map(profileOf))
  return { ...manifest, profiles: new Map(targets.map((target, index) => [target, paths[index] as StorePath])) }
}

function packagesToRealise({ services, targetPackages }: Architecture): readonly InstantiatedPackage[] {
  return [
    ...[...services.values()].flatMap(({ packages }) => [...packages.values()]),
    ...[...targetPackages.values()].flat(),
  ]
}

type TypesByTarget = ReadonlyMap<TargetName, readonly string[]>

/** An undeployment gets every module, in case a recorded one cannot stop its services. */
function typesByTarget(manifest: Manifest, { modules }: RealisationOptions): TypesByTarget {
  if (manifest.services.size > 0) return modulesByTarget(manifest)
  return new Map([...manifest.infrastructure.keys()].map((target) => [target, [...modules.keys()]]))
}

type ModulePaths = ReadonlyMap<string, StorePath>

async function addModules(types: TypesByTarget, { store, modules }: RealisationOptions): Promise<ModulePaths> {
  const all = new Set([...types.values()].flat())
  const needed = [...modules].filter(([type]) => all.has(type))
  const paths = needed.map(async ([type, module]): Promise<[string, StorePath]> => {
    return [type, await store.addModule(type, module)]
  })
  return new Map(await Promise.all(paths))
}

/** Prepares the contents of all profiles, in one pass over architecture and manifest. */
function profileContents(
  architecture: Architecture,
  manifest: Manifest,
  { types, modulePaths }: { readonly types: TypesByTarget; readonly modulePaths: ModulePaths },
): (target: TargetName) => ProfileContents {
  const packages = packagesByTarget(architecture)
  const parts = profileManifests(manifest, packages)
  const nothing: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }
  return (target) => {
    const needed = new Set(types.get(target))
    return {
      // It becomes a part of the names of roots, whose length is limited.
      name: target.slice(0, 100),
      packages: packages.get(target) ?? [],
      profileManifest: encodeDocument(ProfileManifest.on(target), parts.get(target) ?? nothing, 'xml'),
      modules: new Map([...modulePaths].filter(([type]) => needed.has(type))),
    }
  }
}
