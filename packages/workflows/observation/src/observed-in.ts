import { type Manifest, mappingIdOf, type ServiceKey } from '@davit/documents'
import { type ActivityDefinition, definitionOf } from '@davit/target'
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
    const [before, after] = [settingsOf(definitionOf(manifest, mapping)), settingsOf(definitionOf(next, mapping))]
    const changes = settingChanges(before, after, nameOf)
    return changes.length === 0 ? found : { ...found, changes }
  })
}

/** The module is in the profile, whose path tells nothing about it. */
function settingsOf(definition: ActivityDefinition): Settings {
  return { ...definition, properties: comparable(definition, referencesOf(definition)), module: undefined }
}
