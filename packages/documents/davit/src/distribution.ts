import type { Attributes } from './data.ts'

/** A target of the infrastructure, as passed to functions of models. */
export interface TargetReference {
  readonly properties: Attributes
  readonly containers?: { readonly [container: string]: Attributes }
  readonly system?: string
  readonly numOfCores?: number
}

/** A target on which a service is placed: an object of the infrastructure, or its name. */
export type TargetChoice<Name extends string = string> = Name | TargetReference

export interface Placement<Name extends string = string> {
  readonly target: TargetChoice<Name>
  /** Container of the service; named after the service's type when absent. */
  readonly container?: string
}

/** A list of targets, or `{ targets: [{ target, container }] }`. */
export type Placements<Name extends string = string> =
  | readonly (TargetChoice<Name> | Placement<Name>)[]
  | { readonly targets: readonly (TargetChoice<Name> | Placement<Name>)[] }

/** Service name → placements. `Name` is the union of the names of targets, where they are known. */
export interface Distribution<Name extends string = string> {
  readonly [service: string]: Placements<Name>
}
