import type { Manifest } from '@davit/documents'

import { chosenModules, lackingTypes } from './profile/lacking-types.ts'
import { linkedPackages } from './profile/linked-packages.ts'
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

function packagesPlaced(manifest: Manifest): PackagesByTarget {
  const placed = manifest.serviceMappings.flatMap(({ target, service: key }) => {
    const service = manifest.services.get(key)
    return service === undefined ? [] : [{ target, service: service.name, pkg: service.pkg }]
  })
  return linkedPackages(manifest, placed)
}
