import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { refuseForeign } from './refuse-foreign.ts'
import { systemErrorCode } from './system-error.ts'
import { whyNotWritten } from './why-not-written.ts'

/** Creates a directory of davit's own, and its parents, unless they exist; refuses one that others could lead elsewhere. */
export function makeDirectories(path: string, mode = 0o755): void {
  try {
    makeWithParents(path, mode)
  } catch (cause) {
    const { reason, hint } = isNowhere(cause)
      ? { reason: 'directories cannot be created on its file system', hint: 'choose another directory' }
      : whyNotWritten(path, cause)
    const exitStatus = ExitStatus.cannotCreate
    throw new DavitError('cannot-create', `cannot create '${path}': ${reason}`, { exitStatus, hint, cause })
  }
  refuseForeign(path)
}

/** Goes one by one: Node's own recursion never ends on file systems without new directories, such as `/proc`, and misses a full disk. */
function makeWithParents(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' && !isDirectory(dirname(path))) {
      makeWithParents(dirname(path), mode)
      makeWithParents(path, mode)
      return
    }
    const found = kindOf(path)
    // Another run has removed its directory meanwhile.
    if (code === 'EEXIST' && found === 'nothing') makeWithParents(path, mode)
    else if (found !== 'directory') throw error
  }
}

/** Whether the file system takes no directories: the parent exists all the same. */
function isNowhere(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT'
}

/** What is at a path, by one look at it: it may change at any time. */
function kindOf(path: string): 'directory' | 'nothing' | 'other' {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return 'nothing'
  return entry.isDirectory() || (entry.isSymbolicLink() && isDirectory(path)) ? 'directory' : 'other'
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
