/** Code of a failed system call such as `ENOENT`; nothing for every other error. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EEXIST', 'it exists already'],
  ['EISDIR', 'it is a directory'],
  ['EMFILE', 'too many open files'],
  ['ENFILE', 'too many open files in the system'],
  ['ELOOP', 'too many symbolic links'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ENOENT', 'no such file or directory'],
  ['ENOSPC', 'no space left on the device'],
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the file system is read-only'],
])

/** Describes an error for people. */
export function reasonOf(error: unknown): string {
  const code = systemErrorCode(error)
  return (
    (code === undefined ? undefined : REASONS.get(code)) ?? (error instanceof Error ? error.message : String(error))
  )
}

/** Whether a system call was refused because this account has no permission. */
export function isDenied(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(systemErrorCode(error) ?? '')
}
