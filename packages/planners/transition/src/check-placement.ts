import { atPath, type Diagnostic } from '@davit/diagnostics'
import { type Manifest, type Mapping, type MappingId, mappingIdOf, type ServiceKey } from '@davit/documents'
import { grouped } from '@davit/languages'
import { cyclesOf, isAcyclic } from '@davit/service-graph'

import { placedServices } from './placed-service.ts'

/** Finds what prevents an order of activation: dangling references, and cycles, which are shown as paths. */
export function checkPlacement(manifest: Manifest, isUp: (id: MappingId) => boolean): Diagnostic[] {
  if (isSound(manifest)) return danglingMappings(manifest)
  const placed = new Set(manifest.serviceMappings.map(mappingIdOf))
  const isPlaced = (mapping: Mapping) => placed.has(mappingIdOf(mapping)) || isUp(mappingIdOf(mapping))
  return [...danglingMappings(manifest), ...danglingDependencies(manifest, isPlaced), ...dependencyCycles(manifest)]
}

/** Whether the manifest places everything that its services depend on, and has no cycles. Nearly all do, and it is seen quickly. */
function isSound(manifest: Manifest): boolean {
  const nodes = [...placedServices(manifest).values()].map(({ mapping, service }, number) => ({
    mapping,
    service,
    number,
  }))
  const placed = grouped(nodes, ({ mapping }) => mapping.service)
  const edges: number[][] = []
  for (const { service } of nodes) {
    const needed: number[] = []
    for (const { service: key, target, container } of service.dependsOn) {
      const found = placed.get(key)?.find(({ mapping }) => mapping.target === target && mapping.container === container)
      if (found === undefined) return false
      needed.push(found.number)
    }
    edges.push(needed)
  }
  return isAcyclic(edges)
}

function danglingMappings({ serviceMappings, services, infrastructure }: Manifest): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const [index, { service, target }] of serviceMappings.entries()) {
    if (!services.has(service)) {
      found.push(atPath(['serviceMappings', index, 'service'], `service '${service}' is not among the services`))
    }
    if (!infrastructure.has(target)) {
      found.push(atPath(['serviceMappings', index, 'target'], `target '${target}' is not in the infrastructure`))
    }
  }
  return found
}

function danglingDependencies(manifest: Manifest, isPlaced: (mapping: Mapping) => boolean): Diagnostic[] {
  return placedKeys(manifest).flatMap((key) => {
    const service = manifest.services.get(key)
    return (service?.dependsOn ?? []).flatMap((mapping, index) => {
      if (isPlaced(mapping)) return []
      const name = nameOf(manifest, mapping.service)
      const message = `service '${nameOf(manifest, key)}' depends on '${name}' in '${mapping.container}' on '${mapping.target}', which is neither active nor in the manifest`
      return [atPath(['services', key, 'dependsOn', index], message, 'add it to the service mappings')]
    })
  })
}

function dependencyCycles(manifest: Manifest): Diagnostic[] {
  const mappings = new Map(manifest.serviceMappings.map((mapping) => [mappingIdOf(mapping), mapping]))
  const serviceAt = (id: MappingId) => manifest.services.get(mappings.get(id)?.service ?? ('' as ServiceKey))
  const cycles = cyclesOf([...mappings.keys()].sort(), (id) =>
    (serviceAt(id)?.dependsOn ?? []).map(mappingIdOf).filter((other) => mappings.has(other)),
  )
  return cycles.map((cycle) => {
    const names = cycle.map((id) => serviceAt(id)?.name ?? id)
    const hint = "use 'connectsTo' where a service need not wait for the other"
    return atPath(['services'], `services depend on each other in a cycle: ${names.join(' → ')}`, hint)
  })
}

function placedKeys({ serviceMappings }: Manifest): ServiceKey[] {
  return [...new Set(serviceMappings.map(({ service }) => service))]
}

function nameOf({ services }: Manifest, key: ServiceKey): string {
  return services.get(key)?.name ?? key
}
