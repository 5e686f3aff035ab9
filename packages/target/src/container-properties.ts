import { Float, type Manifest, type PropertyValue, type ServiceMapping } from '@davit/documents'

/** The properties that a module finds in its environment: those of the service that provides the container, or of the target's container. */
export function containerPropertiesOf(manifest: Manifest, mapping: ServiceMapping): ReadonlyMap<string, string> {
  const provider = mapping.containerProvidedByService
  const containers =
    provider === undefined
      ? manifest.infrastructure.get(mapping.target)?.containers
      : manifest.services.get(provider)?.providesContainers
  const properties = containers?.get(mapping.container) ?? new Map<string, PropertyValue>()
  return new Map([...properties].map(([name, value]) => [name, argumentOf(value)]))
}

/** As the original hands them over: `1` or nothing for a truth value, lists joined by a space, nothing for a table. */
function argumentOf(value: PropertyValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : ''
  if (typeof value === 'number' || value instanceof Float) return String(value)
  if (value instanceof Map) return ''
  return (value as readonly PropertyValue[]).map(argumentOf).join(' ')
}
