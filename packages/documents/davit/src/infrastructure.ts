import type { Attributes } from './data.ts'

/** A target: a machine, or a place on one, to which services are deployed. */
export interface Target {
  /** Properties of the machine. They include the target property, by default `hostname`, which says how to reach it. */
  readonly properties: Attributes
  /** Container name → properties, which the lifecycle modules of its services get; those made by `secret` only when they need them. */
  readonly containers?: { readonly [container: string]: Attributes }
  /** System to build for, such as `x86_64-linux`; the coordinator's when absent. */
  readonly system?: string
  /** How many activities may run there at a time; 1 when absent. */
  readonly numOfCores?: number
  readonly clientInterface?: ClientInterface
  /** Name of the property that says how to reach the target; `hostname` when absent. */
  readonly targetProperty?: string
  /** Other attributes stay in the model and are not deployed. */
  readonly [attribute: string]: unknown
}

/** How to reach a target: `ssh`, `local`, their names in the original toolset, or a client executable: its path, or a name that ends in `-client`. */
export type ClientInterface =
  | 'ssh'
  | 'local'
  | 'disnix-ssh-client'
  | 'disnix-run-activity'
  | 'davit-client'
  | 'davit-run-activity'
  | `/${string}`
  | `./${string}`
  | `../${string}`
  | `${string}-client`

/** Target name → target. */
export interface Infrastructure {
  readonly [target: string]: Target
}
