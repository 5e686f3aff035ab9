import { systemErrorCode } from './system-error.ts'

/** Whether something failed because a file does not exist, also when the error was dressed for people. */
export function isMissing(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT' || (error instanceof Error && systemErrorCode(error.cause) === 'ENOENT')
}
