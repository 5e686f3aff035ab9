import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'

/** Tells a failed system call in the words of whoever named the source; other errors are left as they are. */
export function sourceError(path: string, cause: unknown): unknown {
  if (cause instanceof DavitError) return cause
  const code = systemErrorCode(cause)
  if (code === undefined) return cause
  if (NO_ROOM.has(code)) return noRoom(path, cause)
  return new DavitError('bad-source', `cannot read the source '${path}': ${reasonOf(cause)}`, {
    exitStatus: ExitStatus.noInput,
    hint: 'paths in models are relative to the file that names them',
    cause,
  })
}

/** Of these, the store is to blame, where a copy is made. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

function noRoom(path: string, cause: unknown): DavitError {
  return new DavitError('cannot-write', `cannot copy the source '${path}' to the store: ${reasonOf(cause)}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: 'make space there, and run the same command again',
    cause,
  })
}
