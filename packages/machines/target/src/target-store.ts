import { DavitError, ExitStatus, type Report } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'

import type { AlteredPackage } from './native/altered.ts'

/** The target's half of a store: checks what a machine has of the coordinator's store, and sends, builds and fetches the rest. */
export interface TargetStore {
  /** Returns the paths that are not valid there. */
  missing(paths: readonly StorePath[], options?: MissingOptions): Promise<readonly StorePath[]>
  /**
   * Makes paths of the coordinator's store valid there. They are in the order of `closure`, and every reference is among them or
   * already valid there.
   */
  send(paths: readonly StorePath[], options: TransferOptions): Promise<Transferred>
  /**
   * Has paths there count as missing into which something was written, and that the coordinator has as they were made; returns them. Only
   * in a native store; Nix has `nix-store --verify-path` and `--repair-path`.
   */
  markAltered(paths: readonly StorePath[]): Promise<readonly AlteredPackage[]>
  /** Keeps valid paths and their closures for a day, for a later step of the same deployment. */
  protect(paths: readonly StorePath[]): Promise<void>
  /** Builds derivations whose inputs are valid there. A failed build does not stop the others. */
  build(derivations: readonly StorePath[], options: TargetBuildOptions): Promise<readonly TargetBuildOutcome[]>
  /** Makes the outputs that were built there, with their closures, valid in the coordinator's store. */
  fetch(derivations: readonly StorePath[], options: TransferOptions): Promise<Transferred>
  /** Makes paths that are valid there, with their closures, valid in the coordinator's store, and protects them here. */
  bring(paths: readonly StorePath[], options: TransferOptions): Promise<Transferred>
}

export interface MissingOptions {
  /** Some of the paths: `protect` has nothing to do for them afterwards if the store could protect them at once, as nothing is missing. */
  readonly protect?: readonly StorePath[]
  /** Whether the machine first substitutes what it can from its own caches. */
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
  /** Maximum number of builds that run there at a time. */
  readonly cores: number
  /** Receives all events except the steps of the requested builds, which the caller reports. */
  readonly report: Report
  readonly signal: AbortSignal
}

/** Outcome of one build; a list of them is in the order of the derivations. */
export type TargetBuildOutcome =
  | { readonly kind: 'built' }
  | { readonly kind: 'failed'; readonly reason: string; readonly logEnd: string }

/** The error for paths that a machine was asked for and does not have. */
export function notValidThere(address: string, paths: readonly StorePath[]): DavitError {
  const list = paths.map((path) => `'${path}'`).join(', ')
  return new DavitError('invalid-path', `the store of '${address}' does not have ${list}`, {
    exitStatus: ExitStatus.noInput,
    hint: 'check the paths, and the target',
  })
}
