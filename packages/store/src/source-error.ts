import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'

/** Tells a failed system call in the words of whoever named the source; other errors are left as they are. */
export function sourceError(path: string, cause: unknown): unknown {
  if (cause instanceof DavitError) return cause
  if (systemErrorCode(cause) === undefined) return cause
  return new DavitError('bad-source', `cannot read the source '${path}': ${reasonOf(cause)}`, {
    exitStatus: ExitStatus.noInput,
    hint: 'paths in models are relative to the file that names them',
    cause,
  })
}
