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

/** What all models say together, whatever language they were written in: the input of normalization. */
export interface ArchitectureModel {
  readonly services: ReadonlyMap<ServiceName, ServiceModel>
  readonly infrastructure: ReadonlyMap<TargetName, TargetModel>
  readonly targetPackages: ReadonlyMap<TargetName, readonly PackageModel[]>
  /** Every service that the distribution model mentions, known or not. */
  readonly distributedServices?: Iterable<string>
  /** What looked wrong while the models were read, with its place. */
  readonly warnings?: readonly Diagnostic[]
  /** Warnings that are known when all packages have been evaluated. */
  lateWarnings?(): readonly Diagnostic[]
  /**
   * Where in the user's files a value of this model stands. Paths follow the fields of this model, such as `services`,
   * `web`, `dependsOn`, `database`: dependencies go by their parameter, also where the user wrote a list.
   */
  placeOf(path: Path): ModelPlace | undefined
}

/** A place in a file of the user, and the path that leads there. */
export interface ModelPlace extends Place {
  /** In the user's own words, where these differ from the fields of the architecture model. */
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
  /** As the model says it; the name in the table when it says none. */
  readonly name: string
  readonly type: string
  readonly deployState?: boolean
  readonly dependsOn: ReadonlyMap<string, DependencyModel>
  readonly connectsTo: ReadonlyMap<string, DependencyModel>
  readonly activatesAfter: ReadonlyMap<string, DependencyModel>
  /** Shorthand: a container of that name whose properties are `attributes`. */
  readonly providesContainer?: string
  readonly providesContainers?: ReadonlyMap<ContainerName, Properties>
  /** From the service itself or the distribution; absent when neither places it. */
  readonly targets?: readonly PlacementModel[]
  /** Every attribute that has no meaning of its own. */
  readonly attributes: Properties
  packageFor(system: System): PackageModel
}

export interface DependencyModel {
  readonly service: string
  /** Only these targets count for this dependant; all of the service when absent. */
  readonly targets?: readonly PlacementModel[]
}

export interface PlacementModel {
  readonly target: string
  /** The service's type when absent. */
  readonly container?: string
}

export type PackageModel =
  /** Data: `${parameter.path}` is replaced in `name` and in values of `env`, `$${` is a literal `${`. */
  | { readonly kind: 'data'; readonly spec: PackageSpec; readonly parametersFile?: true }
  /**
   * A function of the inter-dependency parameters (an object with lazy members), whose result is literal. Only the
   * result says whether it wants the parameters file; `parametersText` gives its text then, for `spec.parameters`.
   */
  | { readonly kind: 'function'; call(parameters: object, parametersText: () => string): PackageSpec }
  /** In the Nix language: evaluated with all others of its program, once the architecture (without packages) is known. */
  | { readonly kind: 'expression'; specFor(architecture: Architecture, system: System): ExpressionSpec }
