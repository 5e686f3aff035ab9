import type { Diagnostic } from './diagnostic.ts'

/** How many problems are shown; nobody reads more. */
export const MAX_DIAGNOSTICS = 100

/** How many of them get a suggestion: where everything is wrong, searching for more costs more than it helps. */
export const MAX_HINTS = 20

/** Returns the first problems, and a last one that counts the rest. */
export function firstDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const shown = diagnostics.slice(0, MAX_DIAGNOSTICS)
  const rest = diagnostics.length - shown.length
  if (rest > 0) shown.push({ severity: 'error', message: `${rest} more problems are not shown` })
  return shown
}
