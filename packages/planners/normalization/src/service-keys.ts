import { DavitError, ExitStatus } from '@davit/diagnostics'
import type {
  Architecture,
  Mapping,
  NormalizedService,
  ServiceKey,
  ServiceName,
  System,
  TargetName,
} from '@davit/documents'
import { dependenciesFirst } from '@davit/service-graph'
import { type Dependencies, orderingDependenciesOf } from './dependencies.ts'
import { serviceKeyOf } from './service-key.ts'
import { sortedMap } from './sorted.ts'

/** The service keys of an architecture. Its functions throw 'invalid-architecture' if the architecture is inconsistent. */
export interface ServiceKeys {
  of(service: ServiceName, system: System): ServiceKey
  on(service: ServiceName, target: TargetName): ServiceKey
  /** Mappings that a service waits for, as hashed into its keys. */
  dependsOn(service: ServiceName): Mapping[]
  mappingsTo(dependencies: Dependencies): Mapping[]
}

/** Computes all keys, dependencies first: a key contains the keys of its dependencies. */
export function serviceKeys({ services, infrastructure }: Architecture): ServiceKeys {
  const known = new Map<ServiceName, ReadonlyMap<System, ServiceKey>>()
  const waits = new Map<ServiceName, Mapping[]>()
  const keys: ServiceKeys = {
    of: (service, system) =>
      known.get(service)?.get(system) ?? inconsistent(`service '${service}' has no package for system '${system}'`),
    on: (service, target) => {
      const found = infrastructure.get(target) ?? inconsistent(`target '${target}' is not in the infrastructure`)
      return keys.of(service, found.system)
    },
    dependsOn: (service) => waits.get(service) ?? [],
    mappingsTo: (dependencies) =>
      [...dependencies.values()].flatMap(({ service, targets }) =>
        targets.map(({ target, container }) => ({ service: keys.on(service, target), target, container })),
      ),
  }
  const ordering = sortedMap(services, orderingDependenciesOf)
  for (const name of activationOrder(ordering)) {
    const dependsOn = keys.mappingsTo(ordering.get(name) ?? new Map())
    waits.set(name, dependsOn)
    known.set(name, keysOf(services.get(name) ?? inconsistent(`service '${name}' does not exist`), dependsOn))
  }
  return keys
}

function keysOf({ name, type, packages }: NormalizedService, dependsOn: Mapping[]): Map<System, ServiceKey> {
  return sortedMap(packages, ({ outPath }) => serviceKeyOf({ name, type, pkg: outPath, dependsOn }))
}

function activationOrder(ordering: ReadonlyMap<ServiceName, Dependencies>): readonly ServiceName[] {
  const order = dependenciesFirst(ordering.keys(), (name) =>
    Array.from(ordering.get(name)?.values() ?? [], ({ service }) => service),
  )
  if (order.kind === 'ordered') return order.nodes
  const cycles = order.cycles.map((cycle) => cycle.join(' → ')).join('; ')
  return inconsistent(`services depend on each other in a cycle: ${cycles}`)
}

function inconsistent(message: string): never {
  throw new DavitError('invalid-architecture', message, {
    exitStatus: ExitStatus.badDocument,
    hint: 'run davit-normalize again',
  })
}
