import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { DavitError } from '@davit/diagnostics'
import { ownAccount } from './own-account.ts'
import { isDenied, reasonOf, systemErrorCode } from './system-error.ts'

/** Why a file or directory of davit's own cannot be written, and what to do about it; for people. */
export interface NotWritten {
  readonly reason: string
  readonly hint: string
}

/** `path` is the directory or file that was to be made or changed. */
export function whyNotWritten(path: string, cause: unknown): NotWritten {
  if (cause instanceof DavitError) return { reason: cause.message, hint: cause.hint ?? HINT }
  const { present, missing } = nearest(path)
  if (isDenied(cause)) {
    const account = ownAccount().name
    const mend = missing === undefined ? `chown ${account} '${present}'` : `install -d -o ${account} '${missing}'`
    return { reason: `'${account}' may not write to '${present}'`, hint: `as root: ${mend}` }
  }
  if (['EEXIST', 'ENOTDIR'].includes(systemErrorCode(cause) ?? ''))
    return { reason: `'${present}' is not a directory`, hint: 'choose another directory, or remove what is there' }
  return { reason: reasonOf(cause), hint: HINT }
}

const HINT = 'check the directory, its permissions and the space left'

/** Returns the longest existing part of a path, and the first missing one. */
function nearest(path: string): { readonly present: string; readonly missing: string | undefined } {
  let missing: string | undefined
  for (let present = path; ; present = dirname(present)) {
    if (isThere(present) || present === dirname(present)) return { present, missing }
    missing = present
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}
