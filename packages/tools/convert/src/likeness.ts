import { DavitError, type Diagnostic, type Report } from '@davit/diagnostics'
import type { Data } from '@davit/languages'
import { type Kind, mayBe } from './kinds.ts'
import { say } from './messages.ts'

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

interface WarningTerms extends Likeness {
  readonly file: string
  readonly report: Report
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

/** Warns if data that could be read as what the user says look like something else. */
export function warnOfLikeness(data: Data, { wanted, seen, file, report }: WarningTerms): void {
  if (wanted === undefined || seen === undefined || wanted === seen || mayBe(data, wanted)) return
  report(say('looks-like', { file, seen: seen.title, wanted: wanted.title }))
}
