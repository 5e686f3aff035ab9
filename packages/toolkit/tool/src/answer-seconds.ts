import type { Environment } from './tool-context.ts'
import { usageError } from './usage-error.ts'

/** Value of DAVIT_ANSWER_TIMEOUT; undefined if it is not set. */
export function answerSecondsIn(environment: Environment): number | undefined {
  const text = environment['DAVIT_ANSWER_TIMEOUT'] ?? ''
  if (text === '') return undefined
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw usageError(
    `variable 'DAVIT_ANSWER_TIMEOUT' cannot be '${text}'`,
    'expected a number of seconds from 1 up to 999999',
  )
}
