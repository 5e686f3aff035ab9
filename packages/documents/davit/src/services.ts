import type { Attributes, Data } from './data.ts'
import type { Placements } from './distribution.ts'
import type { Package } from './package.ts'

/**
 * A deployable component. Attributes that are not listed here are kept: builds of dependants can read them.
 * `Parameter` names the inter-dependencies that `pkg` gets; `defineService` and `defineServices` infer it.
 */
export interface Service<Parameter extends string = string> extends ServiceAttributes {
  /** What it consists of: a package, or a function of its inter-dependencies that returns one. */
  readonly pkg: Package | PackageFunction<Parameter>
  /** Services that are active before this one, and that `pkg` gets: names, or parameter → service. */
  readonly dependsOn?: Dependencies<Parameter>
  /** Services that `pkg` gets, without an order of activation; cycles are allowed. */
  readonly connectsTo?: Dependencies<Parameter>
}

/** The attributes of a service that do not bear on what its `pkg` gets. */
export interface ServiceAttributes {
  /** The name in the table of services; may be left out. */
  readonly name?: string
  /**
   * The lifecycle module that activates it, and the container it is placed in unless its placement says otherwise.
   * What is of type `package` is only installed.
   */
  readonly type: string
  /** Services that are active before this one, and nothing else. */
  readonly activatesAfter?: Dependencies<string>
  /** Whether its state moves with it; `--deploy-state` when absent. */
  readonly deployState?: boolean
  /** Name of a container that it provides; the attributes that are not listed here are the container's properties. */
  readonly providesContainer?: string
  /** Container name → properties, for containers that it provides to other services. */
  readonly providesContainers?: { readonly [container: string]: Attributes }
  /** Where it is placed; the distribution is ignored then. */
  readonly targets?: Placements
  readonly [attribute: string]: unknown
}

// A member of a method's type is compared bivariantly: functions of different parameters stand in one table.
export type PackageFunction<Parameter extends string> = {
  call(parameters: { readonly [Name in Parameter]: InterDependency }): Package
}['call']

export type Dependencies<Parameter extends string> = readonly Parameter[] | { readonly [Name in Parameter]: Dependency }

/** A service: its name, the service itself, or either with the only `targets` that count for this dependant. */
export type Dependency =
  | string
  | ServiceReference
  | { readonly service: string | ServiceReference; readonly targets?: Placements }

/** A service of the same model. */
export interface ServiceReference {
  readonly type: string
  readonly targets?: Placements
}

/** What a build gets to know of a service that it depends on. */
export interface InterDependency {
  readonly name: string
  readonly type: string
  /** The first of `targets`. */
  readonly target: DependencyTarget
  readonly targets: readonly DependencyTarget[]
  /** The inter-dependencies of that service. */
  readonly connectsTo: { readonly [parameter: string]: InterDependency }
  /** Whatever else the model says of the service. */
  readonly [attribute: string]: Data
}

/** A target where an inter-dependency is placed. */
export interface DependencyTarget {
  readonly name: string
  readonly properties: Attributes
  readonly system: string
  readonly numOfCores: number
  readonly clientInterface: string
  readonly targetProperty: string
  /** Name of the container that the service is in. */
  readonly selectedContainer: string
  /** Properties of that container. */
  readonly container: Attributes
}

/** Service name → service. */
export type Services<Parameters extends ParametersOfServices = ParametersOfServices> = {
  readonly [Name in keyof Parameters]: Service<Parameters[Name]>
}

/** Service name → names of its inter-dependency parameters; inferred. */
export interface ParametersOfServices {
  readonly [service: string]: string
}
