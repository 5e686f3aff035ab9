import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isDenied, reasonOf, systemErrorCode } from '@davit/files'

/** Turns a failed system call into an error that names the source as its author did; returns other errors unchanged. */
export function sourceError(path: string, cause: unknown): unknown {
  if (cause instanceof DavitError) return cause
  const code = systemErrorCode(cause)
  if (code === undefined) return cause
  if (NO_ROOM.has(code)) return noRoom(path, cause)
  const { path: file } = cause as NodeJS.ErrnoException
  const within = file?.startsWith(`${path}/`) === true ? `, at '${file}'` : ''
  return new DavitError('bad-source', `cannot read the source '${path}'${within}: ${reasonOf(cause)}`, {
    exitStatus: ExitStatus.noInput,
    hint: isDenied(cause) ? 'check its permissions' : 'paths in models are relative to the file that names them',
    cause,
  })
}

/** Errors of the store, to which the source is copied. */
const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

function noRoom(path: string, cause: unknown): DavitError {
  return new DavitError('cannot-write', `cannot copy the source '${path}' to the store: ${reasonOf(cause)}`, {
    exitStatus: ExitStatus.cannotCreate,
    hint: 'free some space there, and run the same command again',
    cause,
  })
}
