import type { Attributes } from './data.ts'

/** A machine (or a place on one) to which services are deployed. */
export interface Target {
  /** What is known of the machine. Holds the target property, by default `hostname`, which says how to reach it. */
  readonly properties: Attributes
  /** Container name → properties that its services' lifecycle modules get. */
  readonly containers?: { readonly [container: string]: Attributes }
  /** Platform to build for, such as `x86_64-linux`; the coordinator's when absent. */
  readonly system?: string
  /** How many activities may run there at a time; 1 when absent. */
  readonly numOfCores?: number
  readonly clientInterface?: ClientInterface
  /** Which of `properties` says how to reach it. */
  readonly targetProperty?: string
  /** Anything else stays in the model. */
  readonly [attribute: string]: unknown
}

/** How to reach a target: `ssh`, `local`, their names in the original toolset, or the path of a client executable. */
export type ClientInterface =
  | 'ssh'
  | 'local'
  | 'disnix-ssh-client'
  | 'disnix-run-activity'
  | `/${string}`
  | `./${string}`
  | `../${string}`

/** Target name → target. */
export interface Infrastructure {
  readonly [target: string]: Target
}
