import type { Manifest, ManifestService, StorePath } from '@davit/documents'

import { checkModules } from './check-modules.ts'
import { byTarget } from './profile/by-target.ts'
import { type PackagesByTarget, type ProfileOptions, withProfiles } from './profile/with-profiles.ts'

/** Makes profiles with modules for a manifest whose packages are in the store already, in place of the profiles that it has. */
export async function profileAnew(manifest: Manifest, options: ProfileOptions): Promise<Manifest> {
  checkModules(manifest, options.modules)
  return withProfiles(manifest, packagesPlaced(manifest), options)
}

/** Packages of the services on each target, by name of the service, as a profile links to them. */
function packagesPlaced({ infrastructure, services, serviceMappings }: Manifest): PackagesByTarget {
  const byName = (one: ManifestService, other: ManifestService) => (one.name < other.name ? -1 : 1)
  return new Map(
    [...byTarget({ infrastructure }, serviceMappings)].map(([target, mappings]) => {
      const placed = mappings.flatMap(({ service }) => services.get(service) ?? []).toSorted(byName)
      return [target, [...new Set(placed.map(({ pkg }): StorePath => pkg))]]
    }),
  )
}
