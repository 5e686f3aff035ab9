import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { syncDirectory } from './sync-directory.ts'
import { reasonOf, systemErrorCode } from './system-error.ts'

export interface WriteFileOptions {
  /** Exact permissions of the file; by default 0666 less the umask. */
  readonly mode?: number
}

/** Writes a file. Readers see the old content or the new one, even after a crash, and never a part. */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: WriteFileOptions = {},
): Promise<void> {
  const directory = dirname(path)
  const temporary = join(directory, `.davit-${randomBytes(8).toString('hex')}`)
  try {
    await writeSynced(temporary, content, options)
    await rename(temporary, path)
    await syncDirectory(directory)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {})
    if (systemErrorCode(cause) === undefined) throw cause
    throw new DavitError('cannot-write', `cannot write '${path}': ${reasonOf(cause)}`, {
      exitStatus: ExitStatus.cannotCreate,
      hint: 'check the directory, its permissions and the space left',
      cause,
    })
  }
}

async function writeSynced(path: string, content: string | Uint8Array, { mode }: WriteFileOptions): Promise<void> {
  const handle = await open(path, 'wx', mode === undefined ? 0o666 : 0o600)
  try {
    await handle.writeFile(content)
    if (mode !== undefined) await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
