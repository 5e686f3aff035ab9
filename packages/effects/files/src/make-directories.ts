import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { systemErrorCode } from './system-error.ts'
import { whyNotWritten } from './why-not-written.ts'

/** A directory of davit's own with its parents, if they are not there; nobody else may write to what is made. */
export function makeDirectories(path: string, mode = 0o755): void {
  try {
    makeWithParents(path, mode)
  } catch (cause) {
    const { reason, hint } = isNowhere(cause)
      ? { reason: 'its file system takes no directories', hint: 'choose another directory' }
      : whyNotWritten(path, cause)
    const exitStatus = ExitStatus.cannotCreate
    throw new DavitError('cannot-create', `cannot create '${path}': ${reason}`, { exitStatus, hint, cause })
  }
}

/** One by one: Node itself tries for ever where a file system takes no directories, as that of `/proc`, and misses that a disk is full. */
function makeWithParents(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' && !isDirectory(dirname(path))) {
      makeWithParents(dirname(path), mode)
      makeWithParents(path, mode)
    } else if (!isDirectory(path)) throw error
  }
}

/** Though what it was to be made in is there. */
function isNowhere(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT'
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
