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

/** Whoever wants to have nothing any more may need every module, where the recorded one cannot stop what runs. */
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

/** Looks through architecture and manifest once, whatever the number of targets. */
function profileContents(
  architecture: Architecture,
  manifest: Manifest,
  { types, modulePaths }: { readonly types: TypesByTarget; readonly modulePaths: ModulePaths },
): (target: TargetName) => ProfileContents {
  const packages = packagesByTarget(architecture)
  const parts = profileManifests(manifest)
  const nothing: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }
  return (target) => {
    const needed = new Set(types.get(target))
    return {
      // Roots of stores are named by it, after names of their own.
      name: target.slice(0, 100),
      packages: packages.get(target) ?? [],
      profileManifest: encodeDocument(ProfileManifest.on(target), parts.get(target) ?? nothing, 'xml'),
      modules: new Map([...modulePaths].filter(([type]) => needed.has(type))),
    }
  }
}
