import { parseBytes } from '@davit/diagnostics'
import type { Environment } from './tool-context.ts'
import { usageError } from './usage-error.ts'

/** Value of a variable that is a size; undefined if it is not set. */
export function bytesIn(environment: Environment, variable: 'DAVIT_FETCH_LIMIT'): number | undefined {
  const text = environment[variable] ?? ''
  if (text === '') return undefined
  const bytes = parseBytes(text)
  if (bytes !== undefined) return bytes
  throw usageError(
    `variable '${variable}' cannot be '${text}'`,
    "write a number of bytes, or one with a unit, such as '20 GB'",
  )
}
