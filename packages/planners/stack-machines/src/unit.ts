import type { Instance, StackFile, StackFinding } from '@davit/stack'
import type { Address } from './addresses.ts'
import type { Endpoint } from './endpoints.ts'

/** What the back end knows while it goes through the leaves. */
export interface Emitting {
  readonly findings: StackFinding[]
  /** Directory below which volumes are, on every target. */
  readonly volumeDirectory: string
  /** Whether volumes can be filesets. */
  readonly offersFilesets: boolean
  /** Name of the service that a leaf becomes. */
  serviceOf(leaf: Instance): string
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
  readonly packageFor: (addresses: LinkAddresses) => object
}

/** Addresses of all places of each link, by its name. */
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
