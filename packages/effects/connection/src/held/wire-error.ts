import { DavitError, type ErrorCode } from '@davit/diagnostics'
import { isNumber, isRecord, isText, optional } from './shapes.ts'

/** An error on its way from the holder to a tool. */
export interface WireError {
  readonly message: string
  /** Code of a DavitError, or of a failed system call. */
  readonly code?: string | undefined
  /** Only in a DavitError. */
  readonly exitStatus?: number | undefined
  readonly hint?: string | undefined
  readonly cause?: WireError | undefined
}

export function isWireError(value: unknown): value is WireError {
  return (
    isRecord(value) &&
    isText(value['message']) &&
    [value['code'], value['hint']].every(optional(isText)) &&
    optional(isNumber)(value['exitStatus']) &&
    optional(isWireError)(value['cause'])
  )
}

export function encodeError(error: unknown): WireError {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message } = error
  const cause = error.cause === undefined ? undefined : encodeError(error.cause)
  if (error instanceof DavitError) {
    const { code, exitStatus, hint } = error
    return { message, code, exitStatus, hint, cause }
  }
  return { message, code: 'code' in error ? String(error.code) : undefined, cause }
}

export function decodeError({ message, code, exitStatus, hint, cause: inner }: WireError): Error {
  const cause = inner === undefined ? {} : { cause: decodeError(inner) }
  if (exitStatus !== undefined && code !== undefined) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return new DavitError(code as ErrorCode, message, { exitStatus, ...(hint === undefined ? {} : { hint }), ...cause })
  }
  return Object.assign(new Error(message, cause), code === undefined ? {} : { code })
}
