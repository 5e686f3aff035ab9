import type { Environment } from './tool-context.ts'
import { usageError } from './usage-error.ts'

/** Value of a variable that is a time limit; undefined if it is not set. */
export function secondsIn(
  environment: Environment,
  variable: 'DAVIT_ANSWER_TIMEOUT' | 'DAVIT_FETCH_TIMEOUT' | 'DAVIT_SECRET_TIMEOUT',
): number | undefined {
  const text = environment[variable] ?? ''
  if (text === '') return undefined
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw usageError(`variable '${variable}' cannot be '${text}'`, 'expected a number of seconds from 1 up to 999999')
}
