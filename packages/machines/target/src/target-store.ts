import type { Report } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'

/** The target's half of a store: what a machine has of the coordinator's, what it is sent, and what it builds. */
export interface TargetStore {
  /** Which of these are not valid there. */
  missing(paths: readonly StorePath[], options?: MissingOptions): Promise<readonly StorePath[]>
  /** Makes paths of the coordinator's store valid there; in the order of `closure`, all that they refer to is among them or valid there. */
  send(paths: readonly StorePath[], options: TransferOptions): Promise<Transferred>
  /** Keeps valid paths and their closures there for a day: until a later step of the same deployment needs them. */
  protect(paths: readonly StorePath[]): Promise<void>
  /** Builds derivations whose requirements are valid there. One that fails does not stop the others. */
  build(derivations: readonly StorePath[], options: TargetBuildOptions): Promise<readonly TargetBuildOutcome[]>
  /** Makes what was built there, with all that it needs, valid in the coordinator's store. */
  fetch(derivations: readonly StorePath[], options: TransferOptions): Promise<Transferred>
}

export interface MissingOptions {
  /** Whether the machine first fetches from its own caches what it can. */
  readonly useSubstitutes?: boolean
  readonly signal?: AbortSignal
}

export interface TransferOptions {
  readonly signal: AbortSignal
}

export interface Transferred {
  readonly paths: number
  readonly bytes: number
}

export interface TargetBuildOptions {
  /** How many builds may run there at a time. */
  readonly cores: number
  /** Told what else happens there; the steps of the builds that are asked for are the caller's. */
  readonly report: Report
  readonly signal: AbortSignal
}

/** In the order of the derivations. */
export type TargetBuildOutcome =
  | { readonly kind: 'built' }
  | { readonly kind: 'failed'; readonly reason: string; readonly logEnd: string }
