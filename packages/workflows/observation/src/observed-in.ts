import { type Manifest, mappingIdOf, type ServiceKey } from '@davit/documents'
import { containerPropertiesOf } from '@davit/target'
import { type ObservedMapping, observedOf, settingChanges, type Settings } from '@davit/transition'

import { comparable, referencesOf } from './secrets.ts'

/** Observes a manifest instead of machines: its services count as active on those targets that next has as well. */
export function observedIn(manifest: Manifest, next: Manifest): readonly ObservedMapping[] {
  const wanted = new Set(next.serviceMappings.map(mappingIdOf))
  const components = new Map(manifest.snapshotMappings.map((one) => [mappingIdOf(one), one.component]))
  const nameOf = (key: ServiceKey) => (next.services.get(key) ?? manifest.services.get(key))?.name
  return observedOf(manifest, next.infrastructure).map((one) => {
    const { mapping } = one
    const component = components.get(mappingIdOf(mapping))
    const found = component === undefined ? one : { ...one, component }
    if (!wanted.has(mappingIdOf(mapping))) return found
    const changes = settingChanges(settingsIn(manifest, one), settingsIn(next, one), nameOf)
    return changes.length === 0 ? found : { ...found, changes }
  })
}

/** The module is in the profile, whose path tells nothing about it. */
function settingsIn(manifest: Manifest, { mapping, service: known }: ObservedMapping): Settings {
  const service = manifest.services.get(mapping.service) ?? known
  const properties = containerPropertiesOf(manifest, mapping)
  return { service, properties: comparable(properties, referencesOf(properties)), module: undefined }
}
