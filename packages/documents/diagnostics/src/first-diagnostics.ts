import type { Diagnostic } from './diagnostic.ts'

/** Shown at a time: nobody reads more. */
export const MAX_DIAGNOSTICS = 100

/** Of these, so many say what may have been meant: where everything is wrong, looking for it costs more than it helps. */
export const MAX_HINTS = 20

/** The first ones, and how many are left out. */
export function firstDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const shown = diagnostics.slice(0, MAX_DIAGNOSTICS)
  const rest = diagnostics.length - shown.length
  if (rest > 0) shown.push({ severity: 'error', message: `${rest} more problems are not shown` })
  return shown
}
