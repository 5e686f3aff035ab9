import type { Attributes, Data } from './data.ts'
import type { Placements } from './distribution.ts'
import type { Package } from './package.ts'

/**
 * A deployable component. Other attributes are kept: builds of dependants can read them.
 * `Parameter` names the inter-dependencies that `pkg` gets; `defineService` and `defineServices` infer it.
 */
export interface Service<Parameter extends string = string> extends ServiceAttributes {
  /** Package of the service, or a function of its inter-dependencies that returns one. */
  readonly pkg: Package | PackageFunction<Parameter>
  /** Services that are activated before this one, and that `pkg` gets: names, or parameter → service. */
  readonly dependsOn?: Dependencies<Parameter>
  /** Services that `pkg` gets, in no order of activation; cycles are allowed. */
  readonly connectsTo?: Dependencies<Parameter>
}

/** The attributes of a service that do not affect the argument of `pkg`. */
export interface ServiceAttributes {
  /** Name in the table of services; may be left out. */
  readonly name?: string
  /**
   * Lifecycle module that activates the service; also the name of its container, unless its placement names another.
   * A service of type `package` is only installed.
   */
  readonly type: string
  /** Services that are activated before this one; `pkg` does not get them. */
  readonly activatesAfter?: Dependencies<string>
  /** Whether the state of the service moves with it; `--deploy-state` when absent. */
  readonly deployState?: boolean
  /** Name of a container that the service provides; the attributes not listed here are the container's properties. */
  readonly providesContainer?: string
  /** Container name → properties, for containers that the service provides. */
  readonly providesContainers?: { readonly [container: string]: Attributes }
  /** Placements of the service; they override the distribution. */
  readonly targets?: Placements
  readonly [attribute: string]: unknown
}

// The type of a method is compared bivariantly: so one table can contain functions of different parameters.
export type PackageFunction<Parameter extends string> = {
  call(parameters: { readonly [Name in Parameter]: InterDependency }): Package
}['call']

export type Dependencies<Parameter extends string> = readonly Parameter[] | { readonly [Name in Parameter]: Dependency }

/** A dependency: the name of a service, the service itself, or either with the only `targets` that this dependant uses. */
export type Dependency =
  | string
  | ServiceReference
  | { readonly service: string | ServiceReference; readonly targets?: Placements }

/** A service of the same model. */
export interface ServiceReference {
  readonly type: string
  readonly targets?: Placements
}

/** A dependency as `pkg` and builds see it. */
export interface InterDependency {
  readonly name: string
  readonly type: string
  /** The first of `targets`. */
  readonly target: DependencyTarget
  readonly targets: readonly DependencyTarget[]
  /** The inter-dependencies of that service. */
  readonly connectsTo: { readonly [parameter: string]: InterDependency }
  /** Other attributes of the service in the model. */
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
  /** Name of the service's container. */
  readonly selectedContainer: string
  /** Properties of the service's container. */
  readonly container: Attributes
}

/** Service name → service. */
export type Services<Parameters extends ParametersOfServices = ParametersOfServices> = {
  readonly [Name in keyof Parameters]: Service<Parameters[Name]>
}

/** Service name → names of its inter-dependency parameters, which TypeScript infers. */
export interface ParametersOfServices {
  readonly [service: string]: string
}
