import { quoted } from '@davit/diagnostics'
import {
  containerName,
  type ContainerName,
  type Placement,
  type Properties,
  type ServiceName,
  type TargetName,
} from '@davit/documents'
import type { ServiceModel } from './architecture-model.ts'
import { checkContainerProperties } from './check-properties.ts'
import type { Findings } from './findings.ts'
import { say } from './messages.ts'
import { checkedName } from './names.ts'
import { sortedEntries, sortedMap, sortedProperties } from './sorted.ts'

/** The services that provide containers, by target and container. */
export type ContainerProviders = ReadonlyMap<TargetName, ReadonlyMap<ContainerName, ServiceName>>

type Provided = ReadonlyMap<ContainerName, Properties>

/** Returns the containers that a service provides: those of `providesContainers`, and that of the shorthand with the service's attributes. */
export function providedContainers(name: ServiceName, service: ServiceModel, findings: Findings): Provided {
  const { providesContainer: shorthand, providesContainers, attributes } = service
  const base = ['services', name]
  const provided = new Map<ContainerName, Properties>()
  if (shorthand !== undefined) {
    const container = checkedName(containerName, shorthand, { path: [...base, 'providesContainer'], findings })
    if (container !== undefined) provided.set(container, attributes)
    checkContainerProperties(attributes, base, findings)
  }
  for (const [container, properties] of sortedEntries(providesContainers ?? new Map<ContainerName, Properties>())) {
    const path = [...base, 'providesContainers', container]
    checkedName(containerName, container, { path, findings })
    checkContainerProperties(properties, path, findings)
    provided.set(container, properties)
  }
  if (service.type === 'package' && provided.size > 0) {
    findings.error(
      [...base, 'type'],
      `service ${quoted(name)} of type 'package' cannot provide containers`,
      'it is installed, but never activated',
    )
  }
  return sortedMap(provided, sortedProperties)
}

/** Finds the provider of every container; if several services provide one on the same target, the first by name is used. */
export function containerProviders(
  provided: ReadonlyMap<ServiceName, Provided>,
  placements: ReadonlyMap<ServiceName, readonly Placement[]>,
  findings: Findings,
): ContainerProviders {
  const providers = new Map<TargetName, Map<ContainerName, ServiceName>>()
  for (const [name, containers] of sortedEntries(provided)) {
    const targets = new Set((placements.get(name) ?? []).map(({ target }) => target))
    for (const target of targets) {
      const onTarget = providers.get(target) ?? new Map<ContainerName, ServiceName>()
      providers.set(target, onTarget)
      for (const container of containers.keys()) {
        const other = onTarget.get(container)
        if (other === undefined) onTarget.set(container, name)
        else warnOfClash(findings, { name, other, container, target })
      }
    }
  }
  return providers
}

function warnOfClash(
  findings: Findings,
  { name, other, container, target }: { name: ServiceName; other: ServiceName; container: string; target: string },
): void {
  const hint = `services there use the container of '${other}', not that of '${name}'`
  findings.warning(['services', name], say('container-provided-twice', { container, target, provider: other, hint }))
}
