import { existsSync } from 'node:fs'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Command } from './command.ts'

/** Error for a program that could not be started. */
export function startError(command: Command, cause: unknown): DavitError {
  const [program] = command.argv
  const code = errorCode(cause)
  if (command.cwd !== undefined && !existsSync(command.cwd)) {
    return new DavitError('directory-not-found', `cannot run '${program}' in '${command.cwd}': no such directory`, {
      cause,
    })
  }
  if (code === 'ENOENT') {
    return new DavitError('program-not-found', `cannot find the program '${program}'`, {
      exitStatus: ExitStatus.unreachable,
      hint: program.includes('/') ? 'check the path' : 'install it, or add its directory to PATH',
      cause,
    })
  }
  if (code === 'EACCES') {
    return new DavitError('program-not-executable', `cannot run '${program}': permission denied`, {
      exitStatus: ExitStatus.permission,
      hint: 'make it executable with chmod +x',
      cause,
    })
  }
  const reason = code === 'E2BIG' ? 'its arguments and environment are too long' : (code ?? String(cause))
  return new DavitError('cannot-start-program', `cannot run '${program}': ${reason}`, { cause })
}

function errorCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  if ('code' in cause && typeof cause.code === 'string') return cause.code
  return errorCode(cause.cause)
}
