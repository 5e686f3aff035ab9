import type { Report } from '@davit/diagnostics'
import type { Environment } from '@davit/process'

/** How models in the Nix language are evaluated. */
export interface NixOptions {
  /** Of Nix; that of this process when absent. */
  readonly environment?: Environment
  /** Whether errors come with all that Nix says of them. */
  readonly showTrace?: boolean
  readonly signal?: AbortSignal
  /** Takes what models trace, and what Nix warns of. */
  readonly report?: Report
}
