import { type Manifest, type PropertyValue, propertyText, type ServiceMapping } from '@davit/documents'

/** The properties that a module finds in its environment: those of the service that provides the container, or of the target's container. */
export function containerPropertiesOf(manifest: Manifest, mapping: ServiceMapping): ReadonlyMap<string, string> {
  const provider = mapping.containerProvidedByService
  const containers =
    provider === undefined
      ? manifest.infrastructure.get(mapping.target)?.containers
      : manifest.services.get(provider)?.providesContainers
  const properties = containers?.get(mapping.container) ?? new Map<string, PropertyValue>()
  return new Map([...properties].map(([name, value]) => [name, propertyText(value)]))
}
