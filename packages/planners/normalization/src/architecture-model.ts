import type { Diagnostic, Path, Place } from '@davit/diagnostics'
import type {
  Architecture,
  ContainerName,
  ExpressionSpec,
  PackageSpec,
  Properties,
  ServiceName,
  System,
  TargetName,
} from '@davit/documents'

/** All models in one, whatever their languages: the input of normalization. */
export interface ArchitectureModel {
  readonly services: ReadonlyMap<ServiceName, ServiceModel>
  readonly infrastructure: ReadonlyMap<TargetName, TargetModel>
  readonly targetPackages: ReadonlyMap<TargetName, readonly PackageModel[]>
  /** Every service that the distribution model names, known or not. */
  readonly distributedServices?: Iterable<string>
  /** Warnings from reading the models, with their places. */
  readonly warnings?: readonly Diagnostic[]
  /** Returns the warnings that come up only when all packages have been evaluated. */
  lateWarnings?(): readonly Diagnostic[]
  /**
   * Returns the place of a value in the user's files. Paths follow the fields of this model, such as `services`, `web`,
   * `dependsOn`, `database`: the last step of a dependency is its parameter, even if the user wrote a list.
   */
  placeOf(path: Path): ModelPlace | undefined
}

/** A place in a file of the user. */
export interface ModelPlace extends Place {
  /** Path to the place as the user wrote it, if it differs from the fields of the architecture model. */
  readonly path?: Path
}

export interface TargetModel {
  readonly properties: Properties
  readonly containers: ReadonlyMap<ContainerName, Properties>
  readonly system?: System
  readonly numOfCores?: number
  readonly clientInterface?: string
  readonly targetProperty?: string
}

export interface ServiceModel {
  /** Name that the model gives; the name in the table if it gives none. */
  readonly name: string
  readonly type: string
  readonly deployState?: boolean
  readonly dependsOn: ReadonlyMap<string, DependencyModel>
  readonly connectsTo: ReadonlyMap<string, DependencyModel>
  readonly activatesAfter: ReadonlyMap<string, DependencyModel>
  /** Shorthand for a container of this name whose properties are `attributes`. */
  readonly providesContainer?: string
  readonly providesContainers?: ReadonlyMap<ContainerName, Properties>
  /** Placements from the service itself or from the distribution; absent when neither places it. */
  readonly targets?: readonly PlacementModel[]
  /** All other attributes. */
  readonly attributes: Properties
  packageFor(system: System): PackageModel
}

export interface DependencyModel {
  readonly service: string
  /** The targets that this dependant uses; all targets of the service when absent. */
  readonly targets?: readonly PlacementModel[]
}

export interface PlacementModel {
  readonly target: string
  /** Container; named after the service's type when absent. */
  readonly container?: string
}

export type PackageModel =
  /** Data: `${parameter.path}` is replaced in `name` and in values of `env`; `$${` is a literal `${`. */
  | { readonly kind: 'data'; readonly spec: PackageSpec; readonly parametersFile?: true }
  /**
   * A function of the inter-dependency parameters (an object with lazy members), whose result is literal. If the result
   * asks for the parameters file, `parametersText` returns its text, for `spec.parameters`.
   */
  | { readonly kind: 'function'; call(parameters: object, parametersText: () => string): PackageSpec }
  /** An expression in the Nix language: evaluated with all others of its program, once the architecture (without packages) is known. */
  | { readonly kind: 'expression'; specFor(architecture: Architecture, system: System): ExpressionSpec }
