import {
  type Manifest,
  type Properties,
  propertyText,
  type SecretProperty,
  secretTextOf,
  type ServiceMapping,
} from '@davit/documents'

export interface ContainerProperties {
  readonly properties: ReadonlyMap<string, string>
  /** Properties whose values no document contains; absent if there are none. */
  readonly secrets?: ReadonlyMap<string, SecretProperty>
}

/** Returns the properties for a module's environment: those of the target's container, or of the service that provides it. */
export function containerPropertiesOf(manifest: Manifest, mapping: ServiceMapping): ContainerProperties {
  const properties = new Map<string, string>()
  const secrets = new Map<string, SecretProperty>()
  for (const [name, value] of containerOf(manifest, mapping)) {
    const text = secretTextOf(value)
    if (text === undefined) properties.set(name, propertyText(value))
    else secrets.set(name, { text })
  }
  return secrets.size === 0 ? { properties } : { properties, secrets }
}

function containerOf(
  { infrastructure, services }: Manifest,
  { target, container, containerProvidedByService: provider }: ServiceMapping,
): Properties {
  const containers =
    provider === undefined ? infrastructure.get(target)?.containers : services.get(provider)?.providesContainers
  return containers?.get(container) ?? new Map()
}
