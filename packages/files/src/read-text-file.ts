import { readFile } from 'node:fs/promises'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf, systemErrorCode } from './system-error.ts'

/** The text of a file in UTF-8, without a byte order mark; every failure is one that the user can act on. */
export async function readTextFile(path: string): Promise<string> {
  const content = await readFile(path).catch((cause: unknown) => {
    throw readError(path, cause)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (cause) {
    throw new DavitError('not-text', `cannot read '${path}': it is not text in UTF-8`, {
      exitStatus: ExitStatus.badDocument,
      hint: 'convert it to UTF-8, or name another file',
      cause,
    })
  }
}

function readError(path: string, cause: unknown): DavitError {
  const denied = ['EACCES', 'EPERM'].includes(systemErrorCode(cause) ?? '')
  return new DavitError('cannot-read', `cannot read '${path}': ${reasonOf(cause)}`, {
    exitStatus: denied ? ExitStatus.permission : ExitStatus.noInput,
    hint: denied ? 'check its permissions' : 'check the path',
    cause,
  })
}
