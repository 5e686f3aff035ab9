import { DavitError, ExitStatus } from '@davit/diagnostics'
import { whyNotWritten } from '@davit/files'

/** Turns a failure to write into an error that says what to do. */
export function writing<Result>(path: string, write: () => Result): Result {
  try {
    return write()
  } catch (cause) {
    if (cause instanceof DavitError) throw cause
    const { reason, hint } = whyNotWritten(path, cause)
    const exitStatus = ExitStatus.cannotCreate
    throw new DavitError('cannot-create', `cannot create '${path}': ${reason}`, { exitStatus, hint, cause })
  }
}
