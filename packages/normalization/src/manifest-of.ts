import { DavitError, ExitStatus } from '@davit/diagnostics'
import type {
  Architecture,
  Manifest,
  ManifestService,
  Mapping,
  NormalizedDependency,
  NormalizedService,
  Placement,
  ServiceKey,
  ServiceMapping,
  ServiceName,
  SnapshotMapping,
  StorePath,
  System,
  TargetName,
} from '@davit/documents'
import { dependenciesFirst } from '@davit/service-graph'
import { mergedDependencies, orderingDependenciesOf } from './dependencies.ts'
import { serviceKeyOf } from './service-key.ts'
import { compareNames, sortedEntries, sortedMap } from './sorted.ts'

/** Length of the hash and the dash before the name of a store path. */
const HASH_LENGTH = 33

/** What has to be deployed: services by key, their mappings, and the profiles that carry them. */
export function manifestOf(architecture: Architecture, profiles: ReadonlyMap<TargetName, StorePath>): Manifest {
  const keys = serviceKeys(architecture)
  const services = sortedEntries(architecture.services).map(([, service]) => service)
  return {
    profiles: sortedMap(profiles, (path) => path),
    services: manifestServices(services, keys),
    infrastructure: architecture.infrastructure,
    serviceMappings: services.filter(isActivated).flatMap((service) => serviceMappings(service, keys)),
    snapshotMappings: services.filter(keepsState).flatMap((service) => snapshotMappings(service, keys)),
    store: architecture.store,
  }
}

interface ServiceKeys {
  of(service: ServiceName, system: System): ServiceKey
  systemOf(target: TargetName): System
}

/** The keys of all services for each of their systems: dependencies first, because a key contains theirs. */
function serviceKeys({ services, infrastructure }: Architecture): ServiceKeys {
  const known = new Map<ServiceName, Map<System, ServiceKey>>()
  const keys: ServiceKeys = {
    of: (service, system) =>
      known.get(service)?.get(system) ?? inconsistent(`service '${service}' has no package for system '${system}'`),
    systemOf: (target) =>
      infrastructure.get(target)?.system ?? inconsistent(`target '${target}' is not in the infrastructure`),
  }
  for (const name of activationOrder(services)) {
    const service = services.get(name) ?? inconsistent(`service '${name}' does not exist`)
    const dependsOn = mappingsTo(orderingDependenciesOf(service), keys)
    const ofService = sortedMap(service.packages, ({ outPath }) =>
      serviceKeyOf({ name, type: service.type, pkg: outPath, dependsOn }),
    )
    known.set(name, ofService)
  }
  return keys
}

function activationOrder(services: Architecture['services']): readonly ServiceName[] {
  const order = dependenciesFirst(services.keys(), (name) => {
    const service = services.get(name)
    return service === undefined ? [] : [...orderingDependenciesOf(service).values()].map(({ service }) => service)
  })
  if (order.kind === 'ordered') return order.nodes
  return inconsistent(`services depend on each other in a cycle: ${order.cycles.map((cycle) => cycle.join(' → ')).join('; ')}`)
}

function manifestServices(services: readonly NormalizedService[], keys: ServiceKeys): Map<ServiceKey, ManifestService> {
  const entries = services.flatMap((service) => {
    const dependsOn = mappingsTo(orderingDependenciesOf(service), keys)
    const connectsTo = mappingsTo(mergedDependencies(service.connectsTo), keys)
    return sortedEntries(service.packages).map(([system, { outPath }]): [ServiceKey, ManifestService] => {
      const { name, type, providesContainers } = service
      return [keys.of(name, system), { name, type, pkg: outPath, dependsOn, connectsTo, providesContainers }]
    })
  })
  return new Map(entries.sort(([left], [right]) => compareNames(left, right)))
}

function mappingsTo(dependencies: ReadonlyMap<string, NormalizedDependency>, keys: ServiceKeys): Mapping[] {
  return [...dependencies.values()].flatMap(({ service, targets }) =>
    targets.map(({ target, container }) => ({ service: keys.of(service, keys.systemOf(target)), target, container })),
  )
}

/** Services of type `package` are installed only. */
function isActivated({ type }: NormalizedService): boolean {
  return type !== 'package'
}

function keepsState(service: NormalizedService): boolean {
  return isActivated(service) && service.deployState
}

function serviceMappings(service: NormalizedService, keys: ServiceKeys): ServiceMapping[] {
  return service.targets.map((placement) => serviceMapping(service, placement, keys))
}

function serviceMapping({ name }: NormalizedService, placement: Placement, keys: ServiceKeys): ServiceMapping {
  const { target, container, containerProvidedByService: provider } = placement
  const system = keys.systemOf(target)
  const mapping = { service: keys.of(name, system), target, container }
  return provider === undefined ? mapping : { ...mapping, containerProvidedByService: keys.of(provider, system) }
}

function snapshotMappings(service: NormalizedService, keys: ServiceKeys): SnapshotMapping[] {
  return service.targets.map((placement) => {
    const path = service.packages.get(keys.systemOf(placement.target))?.outPath ?? inconsistent(`service '${service.name}' lacks a package`)
    return { ...serviceMapping(service, placement, keys), component: componentOf(path) }
  })
}

function componentOf(path: StorePath): string {
  return path.slice(path.lastIndexOf('/') + 1 + HASH_LENGTH)
}

function inconsistent(message: string): never {
  throw new DavitError('invalid-architecture', message, {
    exitStatus: ExitStatus.badDocument,
    hint: 'make the architecture again with davit-normalize',
  })
}
