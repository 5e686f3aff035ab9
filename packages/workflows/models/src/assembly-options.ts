import type { Diagnostic } from '@davit/diagnostics'
import type { System } from '@davit/documents'
import type { FunctionContexts } from './reading/function-context.ts'

/** Options for evaluating models. */
export interface AssemblyOptions extends Pick<FunctionContexts, 'contextFor'> {
  readonly system: System
  readonly problems: Diagnostic[]
  readonly tellTargets?: ((targets: unknown) => void) | undefined
}
