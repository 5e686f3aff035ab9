import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'

/** What a machine refuses whoever asks: no bug of the program that did, wherever in it that was. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'make space there, and run the same command again'],
  ['EDQUOT', 'make space within the quota, and run the same command again'],
  ['EROFS', 'it cannot be written there until it is mounted otherwise'],
  ['EACCES', 'check who owns it, and who runs this'],
  ['EPERM', 'check who owns it, and who runs this'],
  ['EMFILE', 'raise the limit of open files (ulimit -n)'],
  ['ENFILE', 'the machine has too many files open: try again later'],
  ['ENOMEM', 'the machine has no memory left: try again later'],
  ['EIO', 'the disk does not work: look at the log of the kernel'],
])

/** The error, or, for a system call that the machine has refused, what to do about it. */
export function explained(error: unknown): unknown {
  const hint = REFUSALS.get(systemErrorCode(error) ?? '')
  if (hint === undefined) return error
  const { syscall, path } = error as NodeJS.ErrnoException
  const what = path === undefined ? `cannot ${syscall}` : `cannot ${syscall} '${path}'`
  const { cannotCreate } = ExitStatus
  return new DavitError('refused-by-system', `${what}: ${reasonOf(error)}`, {
    exitStatus: cannotCreate,
    hint,
    cause: error,
  })
}
