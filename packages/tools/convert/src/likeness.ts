import { DavitError, type Diagnostic } from '@davit/diagnostics'
import type { Kind } from './kinds.ts'

/** What the user says that a text contains, and what it looks like. */
export interface Likeness {
  readonly wanted: Kind | undefined
  readonly seen: Kind | undefined
}

function withoutHint({ message, path, place }: Diagnostic): Diagnostic {
  return {
    severity: 'error',
    message,
    ...(path === undefined ? {} : { path }),
    ...(place === undefined ? {} : { place }),
  }
}

/** Reads content; if that fails, the error says what the content looks like, unless that is what the user says. */
export function explained<Result>({ wanted, seen }: Likeness, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DavitError) || wanted === undefined || seen === undefined || wanted === seen) throw error
    const { code, message, exitStatus, fields, cause } = error
    // Their hints name options of other tools.
    const diagnostics = error.diagnostics.map(withoutHint)
    const hint = `this looks like ${seen.title}: pass --kind ${seen.name}, or omit --kind`
    throw new DavitError(code, message, { exitStatus, fields, diagnostics, cause, hint })
  }
}
