import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemErrorCode } from './system-error.ts'

/** A directory with its parents, if they are not there. */
export async function makeDirectories(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode })
  } catch (error) {
    // So Node says of a parent for which there is no space; one by one they tell the truth.
    if (systemErrorCode(error) !== 'ENOENT') throw error
    await makeDirectories(dirname(path), mode)
    await mkdir(path, { mode })
  }
}
