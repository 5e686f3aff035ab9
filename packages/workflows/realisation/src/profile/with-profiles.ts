import { encodeDocument, type Manifest, ProfileManifest, type StorePath, type TargetName } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { ProfileContents, Store } from '@davit/store'

import { modulesByTarget } from './modules-by-target.ts'
import { profileManifests } from './profile-manifests.ts'

export interface ProfileOptions {
  readonly store: Store
  readonly modules: ReadonlyMap<string, LifecycleModule>
}

export type PackagesByTarget = ReadonlyMap<TargetName, readonly StorePath[]>

/** Makes the profile of each target, with these packages and the modules that its services need. */
export async function withProfiles(
  manifest: Manifest,
  packages: PackagesByTarget,
  options: ProfileOptions,
): Promise<Manifest> {
  const types = typesByTarget(manifest, options)
  const modulePaths = await addModules(types, options)
  const targets = [...manifest.infrastructure.keys()]
  const profileOf = profileContents(manifest, packages, { types, modulePaths })
  const paths = await options.store.addProfiles(targets.map(profileOf))
  return { ...manifest, profiles: new Map(targets.map((target, index) => [target, paths[index] as StorePath])) }
}

type TypesByTarget = ReadonlyMap<TargetName, readonly string[]>

/** An undeployment gets every module, in case a recorded one cannot stop its services. */
function typesByTarget(manifest: Manifest, { modules }: ProfileOptions): TypesByTarget {
  if (manifest.services.size > 0) return modulesByTarget(manifest)
  return new Map([...manifest.infrastructure.keys()].map((target) => [target, [...modules.keys()]]))
}

type ModulePaths = ReadonlyMap<string, StorePath>

async function addModules(types: TypesByTarget, { store, modules }: ProfileOptions): Promise<ModulePaths> {
  const all = new Set([...types.values()].flat())
  const needed = [...modules].filter(([type]) => all.has(type))
  const paths = needed.map(async ([type, module]): Promise<[string, StorePath]> => {
    return [type, await store.addModule(type, module)]
  })
  return new Map(await Promise.all(paths))
}

/** Prepares the contents of all profiles, in one pass over the manifest. */
function profileContents(
  manifest: Manifest,
  packages: PackagesByTarget,
  { types, modulePaths }: { readonly types: TypesByTarget; readonly modulePaths: ModulePaths },
): (target: TargetName) => ProfileContents {
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
