import { DavitError } from '@davit/diagnostics'
import { systemErrorCode } from '@davit/files'

/** Machines that did not answer a moment ago. */
export interface Absences {
  /** Throws the error of the last attempt if that was a moment ago. */
  check(key: string): void
  note(key: string, error: unknown): void
  delete(key: string): void
}

/** How long a machine that did not answer is not asked again. */
const ABSENCE_MILLISECONDS = 30_000

export function absences(now: () => number): Absences {
  const known = new Map<string, { readonly error: DavitError; readonly until: number }>()
  /** Errors that only repeat an earlier one, as a jump host's does for the machines behind it. */
  const repeated = new WeakSet<DavitError>()
  const forgetOld = (): void => {
    for (const [key, { until }] of known) if (until <= now()) known.delete(key)
  }
  return {
    check(key) {
      forgetOld()
      const absence = known.get(key)
      if (absence === undefined) return
      const error = notAskedAgain(absence.error, absence.until - now())
      repeated.add(error)
      throw error
    },
    note(key, error) {
      forgetOld()
      if (isSilence(error) && !repeated.has(error)) known.set(key, { error, until: now() + ABSENCE_MILLISECONDS })
    },
    delete: (key) => void known.delete(key),
  }
}

/** What is refused at once is an answer, and asking again costs nothing. */
const ANSWERS = new Set(['ECONNREFUSED', 'ENOTFOUND'])

function isSilence(error: unknown): error is DavitError {
  if (!(error instanceof DavitError) || error.code !== 'unreachable') return false
  return !ANSWERS.has(systemErrorCode(error.cause) ?? '')
}

function notAskedAgain(error: DavitError, milliseconds: number): DavitError {
  const { code, message, exitStatus, hint, cause } = error
  const seconds = Math.ceil(milliseconds / 1000)
  return new DavitError(code, `${message}; davit-connect asks it again in ${seconds} s`, {
    exitStatus,
    ...(hint === undefined ? {} : { hint }),
    cause,
  })
}
