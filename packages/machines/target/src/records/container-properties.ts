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
  const container = containerOf(manifest, mapping)
  const same = known.get(container)
  if (same !== undefined) return same
  const properties = new Map<string, string>()
  const secrets = new Map<string, SecretProperty>()
  for (const [name, value] of container) {
    const text = secretTextOf(value)
    if (text === undefined) properties.set(name, propertyText(value))
    else secrets.set(name, { text })
  }
  const found = secrets.size === 0 ? { properties } : { properties, secrets }
  known.set(container, found)
  return found
}

/** Most services share their container with others. */
const known = new WeakMap<Properties, ContainerProperties>()

const NONE: Properties = new Map()

function containerOf(
  { infrastructure, services }: Manifest,
  { target, container, containerProvidedByService: provider }: ServiceMapping,
): Properties {
  const containers =
    provider === undefined ? infrastructure.get(target)?.containers : services.get(provider)?.providesContainers
  return containers?.get(container) ?? NONE
}
