import { DavitError } from './davit-error.ts'
import type { ErrorCode } from './error-codes.ts'

/** Whether an error is the one that a code stands for. */
export function hasCode(error: unknown, code: ErrorCode): error is DavitError {
  return error instanceof DavitError && error.code === code
}
