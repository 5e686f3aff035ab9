import type { Manifest, ManifestService, StorePath } from '@davit/documents'

import { byTarget } from './profile/by-target.ts'
import { chosenModules, lackingTypes } from './profile/lacking-types.ts'
import { type PackagesByTarget, type ProfileOptions, withProfiles } from './profile/with-profiles.ts'

/**
 * Makes the profiles that a deployment of the same models would have, for a manifest whose packages are in the store already. In contrast to
 * `completeProfiles()`, they keep nothing of the profiles that the manifest has.
 */
export async function profileAnew(manifest: Manifest, options: ProfileOptions): Promise<Manifest> {
  const lacking = await lackingTypes(manifest, (known) => known !== 'here')
  const modules = new Map([...options.modules, ...chosenModules(lacking, options.modules)])
  return withProfiles(manifest, packagesPlaced(manifest), { ...options, modules })
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
