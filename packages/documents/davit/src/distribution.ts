import type { Attributes } from './data.ts'

/** A target of the infrastructure as functions of models get it. */
export interface TargetReference {
  readonly properties: Attributes
  readonly containers?: { readonly [container: string]: Attributes }
  readonly system?: string
  readonly numOfCores?: number
}

/** A target in which a service is placed: an object of the infrastructure, or its name. */
export type TargetChoice<Name extends string = string> = Name | TargetReference

export interface Placement<Name extends string = string> {
  readonly target: TargetChoice<Name>
  /** The service's type when absent. */
  readonly container?: string
}

/** A list of targets, or `{ targets: [{ target, container }] }`. */
export type Placements<Name extends string = string> =
  | readonly (TargetChoice<Name> | Placement<Name>)[]
  | { readonly targets: readonly (TargetChoice<Name> | Placement<Name>)[] }

/** Service name → where it is placed. `Name` are the names of targets, where they are known. */
export interface Distribution<Name extends string = string> {
  readonly [service: string]: Placements<Name>
}
