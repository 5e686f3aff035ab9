import { type Manifest, mappingIdOf, type ServiceKey } from '@davit/documents'
import { containerPropertiesOf } from '@davit/target'
import {
  type ObservedMapping,
  observedOf,
  type PlacedService,
  placedServices,
  settingChanges,
  type Settings,
} from '@davit/transition'

import { comparable, referencesOf } from './secrets.ts'

/** Observes a manifest instead of machines: its services count as active on those targets that next has as well. */
export function observedIn(manifest: Manifest, next: Manifest): readonly ObservedMapping[] {
  const wanted = placedServices(next)
  const components = new Map(manifest.snapshotMappings.map((one) => [mappingIdOf(one), one.component]))
  const nameOf = (key: ServiceKey) => (next.services.get(key) ?? manifest.services.get(key))?.name
  return observedOf(manifest, next.infrastructure).map((one) => {
    const id = mappingIdOf(one.mapping)
    const component = components.get(id)
    const found = component === undefined ? one : { ...one, component }
    const same = wanted.get(id)
    if (same === undefined) return found
    const changes = settingChanges(settingsIn(manifest, one), settingsIn(next, same), nameOf)
    return changes.length === 0 ? found : { ...found, changes }
  })
}

/** The module is in the profile, whose path tells nothing about it. */
function settingsIn(manifest: Manifest, { mapping, service }: PlacedService): Settings {
  const properties = containerPropertiesOf(manifest, mapping)
  return { service, properties: comparable(properties, referencesOf(properties)), module: undefined }
}
