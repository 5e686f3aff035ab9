import type { Attributes } from './data.ts'

/** A target of the infrastructure as functions of models get it. */
export interface TargetReference {
  readonly properties: Attributes
  readonly containers?: { readonly [container: string]: Attributes }
  readonly system?: string
  readonly numOfCores?: number
}

/** A target in which a service is placed: an object of the infrastructure, or its name. */
export type TargetChoice = string | TargetReference

export interface Placement {
  readonly target: TargetChoice
  /** The service's type when absent. */
  readonly container?: string
}

/** A list of targets, or `{ targets: [{ target, container }] }`. */
export type Placements =
  | readonly (TargetChoice | Placement)[]
  | { readonly targets: readonly (TargetChoice | Placement)[] }

/** Service name → where it is placed. */
export interface Distribution {
  readonly [service: string]: Placements
}
