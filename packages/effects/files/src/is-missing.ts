import { systemErrorCode } from './system-error.ts'

/** Whether an error, or its cause, is that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT' || (error instanceof Error && systemErrorCode(error.cause) === 'ENOENT')
}
