import {
  type Architecture,
  componentIn,
  type Manifest,
  type ManifestService,
  type NormalizedService,
  type Placement,
  type ServiceKey,
  type ServiceMapping,
  type SnapshotMapping,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import { compareText } from '@davit/languages'
import { mergedDependencies } from './dependencies.ts'
import { type ServiceKeys, serviceKeys } from './service-keys.ts'
import { sortedEntries, sortedMap } from './sorted.ts'

/** Makes the manifest: services by key, their mappings, and the profiles that contain their packages. */
export function manifestOf(architecture: Architecture, profiles: ReadonlyMap<TargetName, StorePath>): Manifest {
  const keys = serviceKeys(architecture)
  const services = sortedEntries(architecture.services).map(([, service]) => service)
  const manifest = {
    profiles: sortedMap(profiles, (path) => path),
    services: manifestServices(services, keys),
    infrastructure: sortedMap(architecture.infrastructure, (target) => target),
    serviceMappings: services.filter(isActivated).flatMap((service) => serviceMappings(service, keys)),
    store: architecture.store,
  }
  const stateful = services.filter((service) => isActivated(service) && service.deployState)
  const snapshotMappings = stateful.flatMap((service) =>
    serviceMappings(service, keys).map((mapping) => snapshotMapping(mapping, manifest.services)),
  )
  return { ...manifest, snapshotMappings }
}

function manifestServices(services: readonly NormalizedService[], keys: ServiceKeys): Map<ServiceKey, ManifestService> {
  const entries = services.flatMap(({ name, type, connectsTo, providesContainers, packages }) => {
    const shared = {
      dependsOn: keys.dependsOn(name),
      connectsTo: keys.mappingsTo(mergedDependencies(connectsTo)),
      providesContainers,
    }
    return sortedEntries(packages).map(([system, { outPath }]): [ServiceKey, ManifestService] => [
      keys.of(name, system),
      { name, type, pkg: outPath, ...shared },
    ])
  })
  return new Map(entries.sort(([left], [right]) => compareText(left, right)))
}

/** Services of type `package` are only installed. */
function isActivated({ type }: NormalizedService): boolean {
  return type !== 'package'
}

function serviceMappings({ name, targets }: NormalizedService, keys: ServiceKeys): ServiceMapping[] {
  return targets.map(({ target, container, containerProvidedByService: provider }: Placement) => {
    const mapping = { service: keys.on(name, target), target, container }
    return provider === undefined ? mapping : { ...mapping, containerProvidedByService: keys.on(provider, target) }
  })
}

function snapshotMapping(mapping: ServiceMapping, services: ReadonlyMap<ServiceKey, ManifestService>): SnapshotMapping {
  return { ...mapping, component: componentIn(services.get(mapping.service)?.pkg ?? '') }
}
