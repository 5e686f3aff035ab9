import { type Manifest, type PropertyValue, propertyText, type ServiceMapping } from '@davit/documents'

/** Returns the properties for a module's environment: those of the target's container, or of the service that provides it. */
export function containerPropertiesOf(manifest: Manifest, mapping: ServiceMapping): ReadonlyMap<string, string> {
  const provider = mapping.containerProvidedByService
  const containers =
    provider === undefined
      ? manifest.infrastructure.get(mapping.target)?.containers
      : manifest.services.get(provider)?.providesContainers
  const properties = containers?.get(mapping.container) ?? new Map<string, PropertyValue>()
  return new Map([...properties].map(([name, value]) => [name, propertyText(value)]))
}
