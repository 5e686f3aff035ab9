import type { Spot } from '../finding.ts'
import { NO_PINS, type Pins } from '../references/pins.ts'
import type { StackValue } from '../values/stack-value.ts'

/** A cluster as the workspace file states it; clouds and schedulers are checked when it is chosen. */
export interface Cluster {
  readonly name: string
  readonly isDefault: boolean
  readonly description: string | undefined
  readonly cloud: string | undefined
  readonly scheduler: string | undefined
  readonly settings: ReadonlyMap<string, StackValue>
  /** Infrastructure model, relative to the workspace. */
  readonly infrastructure: string | undefined
  /** Targets by fully qualified names, or by `FQN/**`. */
  readonly placement: ReadonlyMap<string, readonly string[]>
  readonly spots: Readonly<Record<'name' | 'cloud' | 'scheduler' | 'infrastructure' | 'placement', Spot>>
  /** Of settings and of placements, by their keys. */
  readonly spotsIn: Readonly<Record<'settings' | 'placement', ReadonlyMap<string, Spot>>>
}

/** Where the stacks of references are fetched from. */
export interface Repository {
  /** Base and name, or base and namespace with `/` at its end. */
  readonly prefix: string
  readonly url: string
  readonly spot: Spot
}

export interface Workspace {
  readonly namespace: string | undefined
  readonly clusters: ReadonlyMap<string, Cluster>
  readonly pins: Pins
  readonly repositories: readonly Repository[]
  /** Whether something in its file cannot be read: what seems to be missing may be there. */
  readonly isPartial: boolean
}

/** The workspace of a directory without workspace file. */
export const NO_WORKSPACE: Workspace = {
  namespace: undefined,
  clusters: new Map(),
  pins: NO_PINS,
  repositories: [],
  isPartial: false,
}

/** The workspace of a file that cannot be read. */
export const UNREAD_WORKSPACE: Workspace = { ...NO_WORKSPACE, isPartial: true }
