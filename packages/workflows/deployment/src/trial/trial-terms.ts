import type { DavitError, Report } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import type { Machine, ShellTarget, Trial } from '@davit/target'
import type { WayBackStep } from '@davit/transition'

/** How the targets of a deployment are reached while it is on trial. */
export interface TrialConnections {
  /** Opens a helper for trials on the machine of a target. */
  on(place: ShellTarget): Promise<Machine<'trial'>>
  /** Connects to machines once more, over new connections, which are closed when `use` is done. */
  anew<Result>(
    places: readonly ShellTarget[],
    signal: AbortSignal,
    use: (reached: ReadonlyMap<ShellTarget, Machine<'confirm'> | DavitError>) => Promise<Result>,
  ): Promise<Result>
}

export interface ConfirmTerms {
  /** How long targets wait for a sign of life, and for the confirmation. */
  readonly seconds: number
  readonly connections: TrialConnections
}

export interface TrialTerms {
  readonly confirm: ConfirmTerms
  readonly profile: ProfileName
  /** Token of the lock. */
  readonly token: string
  readonly timeoutSeconds?: number | undefined
  readonly report: Report
  readonly signal: AbortSignal
}

/** A target that goes back by itself, unless it is confirmed. */
export interface ArmedTarget {
  readonly label: string
  readonly place: ShellTarget
  readonly machine: Machine<'trial'>
  readonly trial: Trial
  readonly steps: readonly WayBackStep[]
}
