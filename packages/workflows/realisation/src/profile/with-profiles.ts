import { encodeDocument, type Manifest, ProfileManifest, type StorePath, type TargetName } from '@davit/documents'
import type { LifecycleModule } from '@davit/modules'
import type { ProfileContents, Store } from '@davit/store'

import { addModules } from './add-modules.ts'
import type { TypesByTarget } from './lacking-types.ts'
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
  const all = new Set([...types.values()].flat())
  const modulePaths = await addModules(new Map([...options.modules].filter(([type]) => all.has(type))), options.store)
  const targets = [...manifest.infrastructure.keys()]
  const profileOf = profileContents(manifest, packages, { types, modulePaths })
  const paths = await options.store.addProfiles(targets.map(profileOf))
  return { ...manifest, profiles: new Map(targets.map((target, index) => [target, paths[index] as StorePath])) }
}

/** An undeployment gets every module, in case a recorded one cannot stop its services. */
function typesByTarget(manifest: Manifest, { modules }: ProfileOptions): TypesByTarget {
  if (manifest.services.size > 0) return modulesByTarget(manifest)
  return new Map([...manifest.infrastructure.keys()].map((target) => [target, [...modules.keys()]]))
}

type ModulePaths = ReadonlyMap<string, StorePath>

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
