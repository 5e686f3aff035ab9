import { DavitError } from '@davit/diagnostics'

import type { Arguments } from './arguments.ts'

/** Adds a hint to a refusal of the machine. */
export function withHint(error: unknown, args: Pick<Arguments, 'profile'>): unknown {
  if (!(error instanceof DavitError) || error.hint !== undefined) return error
  const hint = HINTS[error.code]?.(error.message, args)
  if (hint === undefined) return error
  const { code, message, exitStatus, fields, diagnostics } = error
  return new DavitError(code, message, { exitStatus, hint, fields, diagnostics })
}

const HINTS: Readonly<Record<string, (message: string, args: Pick<Arguments, 'profile'>) => string>> = {
  'no-module': (message) =>
    message.endsWith('is not executable')
      ? 'make it executable with chmod +x'
      : 'name a file of your own with --module, or add a directory that contains one with --modules',
  'already-locked': (_, { profile }) =>
    `wait until the other run has ended; if there is none, remove the lock with --unlock --profile ${profile}`,
}

/** The error of an operation that has told why it failed. */
export function failureOf(line: string, status: number): DavitError {
  return new DavitError('failed', line, { exitStatus: status })
}
