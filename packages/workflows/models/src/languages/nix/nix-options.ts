import type { Report } from '@davit/diagnostics'
import type { Environment } from '@davit/process'

/** Options for evaluating models in the Nix language. */
export interface NixOptions {
  /** Environment of Nix; that of this process when absent. */
  readonly environment?: Environment
  /** Whether errors are shown with Nix's trace. */
  readonly showTrace?: boolean
  readonly signal?: AbortSignal
  /** Gets trace output of models, and warnings of Nix. */
  readonly report?: Report
}
