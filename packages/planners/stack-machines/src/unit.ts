import type { BoundValue, Instance, StackFile, StackFinding } from '@davit/stack'
import type { Address } from './addresses.ts'
import type { Endpoint } from './endpoints.ts'
import type { PortsOf } from './ports.ts'

/** What the back end knows while it goes through the leaves. */
export interface Emitting {
  readonly findings: StackFinding[]
  /** Directory below which volumes are, on every target. */
  readonly volumeDirectory: string
  /** Whether volumes can be filesets. */
  readonly offersFilesets: boolean
  readonly portsOf: PortsOf
  /** Name of the service that a leaf becomes. */
  serviceOf(leaf: Instance): string
  /** The port that a service in a property stands for; undefined, and reported, if it is not exactly one. */
  endpointIn(value: BoundValue): Endpoint | undefined
  /** Path of a file that a property names; undefined, and reported, if it cannot be read or is not the stack's. */
  sourceOf(leaf: Instance, property: string, text: string): string | undefined
  pathIn(file: StackFile, text: string): PathInStack
}

export type PathInStack = { readonly path: string } | { readonly problem: string }

/** What a leaf becomes; its package is made when all leaves are placed. */
export interface Draft {
  readonly type: string
  readonly protocol?: string
  readonly deployState?: boolean
  /** Free attributes. */
  readonly attributes?: ReadonlyMap<string, unknown>
  /** The attribute `pkg`. */
  readonly packageFor: (addresses: Addresses) => object
}

/** Where others can be reached once all leaves are placed. */
export interface Addresses {
  /** All places of each link, by its name. */
  readonly links: LinkAddresses
  /** All places of a port. */
  of(endpoint: Endpoint): readonly Address[]
}

export type LinkAddresses = ReadonlyMap<string, readonly Address[]>

export type Emitter = (leaf: Instance, emitting: Emitting) => Draft | undefined

/** A leaf that becomes a service. */
export interface Unit {
  readonly leaf: Instance
  readonly service: string
  readonly draft: Draft
  /** `dependsOn`, by the names of links. */
  readonly links: ReadonlyMap<string, Endpoint>
}
