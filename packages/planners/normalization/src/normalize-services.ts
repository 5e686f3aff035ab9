import { quoted } from '@davit/diagnostics'
import {
  type InstantiatedPackage,
  type Infrastructure,
  moduleName,
  type NormalizedService,
  type Placement,
  type Properties,
  type ServiceName,
  serviceName,
  type System,
} from '@davit/documents'
import type { ArchitectureModel, ServiceModel } from './architecture-model.ts'
import { checkProperties } from './check-properties.ts'
import { type ContainerProviders, containerProviders, providedContainers } from './container-providers.ts'
import type { Findings } from './findings.ts'
import { checkedName, nameIndex } from './names.ts'
import type { NormalizationOptions } from './normalization-options.ts'
import { type DependencyContext, normalizeDependencies } from './normalize-dependencies.ts'
import { placementsOf, targetFinder } from './placements.ts'
import { withProviderEdges } from './provider-edges.ts'
import { sortedMap, sortedProperties } from './sorted.ts'

export interface ServicesContext {
  readonly infrastructure: Infrastructure
  readonly options: NormalizationOptions
  readonly findings: Findings
}

/** Resolves the placements, providers and dependencies of services, in the order of their names; packages are added later. */
export function normalizeServices(
  models: ArchitectureModel['services'],
  { infrastructure, options, findings }: ServicesContext,
): Map<ServiceName, NormalizedService> {
  const services = sortedMap(models, (service) => service)
  const where = { targets: targetFinder(infrastructure), findings }
  const bare = sortedMap(services, (service, name) => {
    checkService(name, service, findings)
    return placementsOf(name, service, where)
  })
  const provided = sortedMap(services, (service, name) => providedContainers(name, service, findings))
  const providers = containerProviders(provided, bare, findings)
  const placements = sortedMap(bare, (places) => withProviders(places, providers))
  const context = { ...where, services, placements, serviceNamed: nameIndex(services.keys()) }
  return sortedMap(services, (service, name) => ({
    name,
    type: service.type,
    deployState: service.deployState ?? options.deployState,
    ...dependenciesOf(name, context),
    providesContainers: provided.get(name) ?? new Map<never, Properties>(),
    targets: placements.get(name) ?? [],
    packages: new Map<System, InstantiatedPackage>(),
    attributes: sortedProperties(service.attributes),
  }))
}

function checkService(name: ServiceName, service: ServiceModel, findings: Findings): void {
  const path = ['services', name]
  checkedName(serviceName, name, { path, findings })
  checkedName(moduleName, service.type, { path: [...path, 'type'], findings })
  checkProperties(service.attributes, path, findings)
  if (service.name !== name) {
    const hint = `leave out 'name', or change it to ${quoted(name)}`
    findings.error([...path, 'name'], `expected the name ${quoted(name)}, but got ${quoted(service.name)}`, hint)
  }
}

function withProviders(placements: readonly Placement[], providers: ContainerProviders): Placement[] {
  return placements.map(({ target, container }) => {
    const provider = providers.get(target)?.get(container)
    return provider === undefined ? { target, container } : { target, container, containerProvidedByService: provider }
  })
}

function dependenciesOf(
  name: ServiceName,
  context: DependencyContext,
): Pick<NormalizedService, 'dependsOn' | 'connectsTo' | 'activatesAfter'> {
  const dependsOn = normalizeDependencies(name, 'dependsOn', context)
  const connectsTo = normalizeDependencies(name, 'connectsTo', context)
  const activatesAfter = normalizeDependencies(name, 'activatesAfter', context)
  const placesOf = (service: ServiceName) => context.placements.get(service) ?? []
  return {
    dependsOn,
    connectsTo,
    activatesAfter: withProviderEdges(placesOf(name), { dependsOn, activatesAfter }, placesOf),
  }
}
