import {
  type ContainerName,
  type Infrastructure,
  type Manifest,
  type ManifestService,
  type Mapping,
  type Properties,
  type ServiceKey,
  type ServiceName,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import { byName, compareText, grouped } from '@davit/languages'

/** Models that describe a deployment as it is. They are data, as a person could have written it. */
export interface RecoveredModels {
  readonly services: ReadonlyMap<ServiceName, RecoveredService>
  readonly infrastructure: Infrastructure
  readonly distribution: ReadonlyMap<ServiceName, readonly Place[]>
  /** What models of data cannot express. */
  readonly losses: readonly string[]
}

export interface RecoveredService {
  readonly type: string
  readonly pkg: { readonly storePath: StorePath }
  readonly dependsOn?: Dependencies
  readonly connectsTo?: Dependencies
  readonly deployState?: true
  readonly providesContainers?: ReadonlyMap<ContainerName, Properties>
}

type Dependencies = ReadonlyMap<string, { readonly service: ServiceName; readonly targets: readonly Place[] }>

export interface Place {
  readonly target: TargetName
  readonly container: ContainerName
}

export type InstalledServices = ReadonlyMap<ServiceKey, readonly TargetName[]>

/**
 * Returns models that normalize to the manifest. Packages are named by their store paths, inter-dependencies by places.
 * `installed` tells on which targets services are that are not activated.
 */
export function modelsOf(manifest: Manifest, installed: InstalledServices): RecoveredModels {
  const services = new Map([...manifest.services.values()].map((service) => [service.name, service] as const))
  const names = [...services.keys()].sort(compareText)
  const places = placesIn(manifest, installed)
  const stateful = new Set(manifest.snapshotMappings.map(({ service }) => manifest.services.get(service)?.name))
  return {
    services: new Map(
      [...services]
        .sort(byName)
        .map(([name, service]) => [name, recoveredService(service, stateful.has(name), manifest)]),
    ),
    infrastructure: manifest.infrastructure,
    distribution: new Map(names.map((name) => [name, places.get(name) ?? []])),
    losses: [...manifest.services.values()].flatMap(({ name, pkg }) =>
      services.get(name)?.pkg === pkg ? [] : [`'${name}' has different packages for the systems of its targets`],
    ),
  }
}

function recoveredService(service: ManifestService, isStateful: boolean, manifest: Manifest): RecoveredService {
  const { type, pkg, dependsOn, connectsTo, providesContainers } = service
  return {
    type,
    pkg: { storePath: pkg },
    ...(dependsOn.length === 0 ? {} : { dependsOn: dependenciesOf(dependsOn, manifest) }),
    ...(connectsTo.length === 0 ? {} : { connectsTo: dependenciesOf(connectsTo, manifest) }),
    ...(isStateful ? { deployState: true } : {}),
    ...(providesContainers.size === 0 ? {} : { providesContainers }),
  }
}

/** Groups the mappings by service, under parameters whose order is that of the mappings. */
function dependenciesOf(mappings: readonly Mapping[], { services }: Manifest): Dependencies {
  const groups = placesByName(mappings, services)
  const names = [...groups.keys()]
  const isInOrder = names.join(' ') === names.toSorted(compareText).join(' ')
  const width = String(names.length).length
  const parameter = (name: string, index: number) =>
    isInOrder ? name : `d${String(index + 1).padStart(width, '0')}_${name}`
  return new Map([...groups].map(([service, targets], index) => [parameter(service, index), { service, targets }]))
}

function placesIn({ services, serviceMappings }: Manifest, installed: InstalledServices) {
  const inactive = [...installed].flatMap(([service, targets]) => {
    const container = services.get(service)?.type as ContainerName
    return targets.map((target) => ({ service, target, container }))
  })
  return placesByName([...serviceMappings, ...inactive], services)
}

/** Groups places by the name of the service that they belong to, without those of unknown services. */
function placesByName(mappings: readonly Mapping[], services: Manifest['services']): ReadonlyMap<ServiceName, Place[]> {
  const named = mappings.flatMap(({ service, target, container }) => {
    const name = services.get(service)?.name
    return name === undefined ? [] : [{ name, place: { target, container } }]
  })
  const groups = grouped(named, ({ name }) => name)
  return new Map([...groups].map(([name, group]) => [name, group.map(({ place }) => place)]))
}
