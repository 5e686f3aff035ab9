import type { Diagnostic } from './diagnostic.ts'
import type { ErrorCode } from './error-codes.ts'
import { ExitStatus } from './exit-status.ts'

export interface DavitErrorOptions {
  /** Exit status of the process; 70 (a bug) is for everything that is not a DavitError. */
  readonly exitStatus?: number
  readonly hint?: string
  /** The values that occur in the message and the hint, for programs; docs/formats/log.md lists them. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly diagnostics?: readonly Diagnostic[]
  readonly cause?: unknown
}

/** A failure that the user can act on. The code is stable and documented; the message is for people. */
export class DavitError extends Error {
  readonly code: ErrorCode
  readonly exitStatus: number
  readonly hint: string | undefined
  readonly fields: Readonly<Record<string, unknown>>
  readonly diagnostics: readonly Diagnostic[]

  constructor(code: ErrorCode, message: string, options: DavitErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'DavitError'
    this.code = code
    this.exitStatus = options.exitStatus ?? ExitStatus.failed
    this.hint = options.hint
    this.fields = options.fields ?? {}
    this.diagnostics = options.diagnostics ?? []
  }
}
