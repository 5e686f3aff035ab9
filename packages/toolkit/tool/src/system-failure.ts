import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from '@davit/files'

/** Error codes that mean that the machine refused a system call, with hints; they are not bugs, wherever they occur. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'free some space there, and run the same command again'],
  ['EDQUOT', 'free some space within the quota, and run the same command again'],
  ['ENOTDIR', 'a file is where a directory should be; check the path'],
  ['EROFS', 'remount the file system read-write, or use another one'],
  ['EACCES', 'check its owner and permissions, and the user who runs this'],
  ['EPERM', 'check its owner and permissions, and the user who runs this'],
  ['EMFILE', 'raise the limit of open files (ulimit -n)'],
  ['ENFILE', 'the machine has too many files open; try again later'],
  ['ENOMEM', 'the machine has no memory left; try again later'],
  ['EIO', 'check the disk, and the log of the kernel'],
])

/** Plain words for system calls whose names are not verbs. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['scandir', 'read'],
  ['mkdtemp', 'create'],
  ['mkdir', 'create'],
  ['rmdir', 'remove'],
  ['unlink', 'remove'],
  ['lstat', 'read'],
  ['stat', 'read'],
])

/** Converts the error of a system call that the machine refused into a DavitError with a hint; returns any other unchanged. */
export function explained(error: unknown): unknown {
  const hint = REFUSALS.get(systemErrorCode(error) ?? '')
  if (hint === undefined) return error
  const { syscall, path } = error as NodeJS.ErrnoException
  const work = WORDS.get(syscall ?? '') ?? syscall
  const what = path === undefined ? `cannot ${work}` : `cannot ${work} '${path}'`
  const { cannotCreate } = ExitStatus
  return new DavitError('refused-by-system', `${what}: ${reasonOf(error)}`, {
    exitStatus: cannotCreate,
    hint,
    cause: error,
  })
}
