import type { ContainerName, Properties, ServiceName, TargetName } from '@davit/documents'

/** What decides about places, of models in any language. */
export interface PlaceableModels {
  readonly services: ReadonlyMap<ServiceName, PlaceableService>
  readonly infrastructure: ReadonlyMap<TargetName, PlaceableTarget>
}

export interface PlaceableService {
  readonly type: string
  readonly attributes: Properties
  readonly providesContainer?: string
  readonly providesContainers?: ReadonlyMap<ContainerName, Properties>
  readonly dependsOn: ReadonlyMap<string, Dependency>
  readonly connectsTo: ReadonlyMap<string, Dependency>
  readonly activatesAfter: ReadonlyMap<string, Dependency>
  /** Where the service itself says that it goes. */
  readonly targets?: readonly GivenPlace[]
}

export interface Dependency {
  readonly service: string
  /** The places that the dependant uses. */
  readonly targets?: readonly GivenPlace[]
}

export interface GivenPlace {
  readonly target: string
  /** Named after the service's type when absent. */
  readonly container?: string
}

export interface PlaceableTarget {
  readonly properties: Properties
  readonly containers: ReadonlyMap<ContainerName, Properties>
  readonly numOfCores?: number
}

/** Where a service goes. */
export interface Place {
  readonly target: TargetName
  readonly container: ContainerName
}

/** Where a service was. */
export interface FormerPlaces {
  /** The type that it had. */
  readonly type: string
  readonly places: readonly Place[]
}
