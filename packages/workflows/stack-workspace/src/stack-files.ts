import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { linkWithin, reasonOf, systemErrorCode } from '@davit/files'
import type { FileReading, StackFiles } from '@davit/stack'

/** Larger files are no stacks; the expansion of a template is bounded by as much. */
export const MAX_BYTES = 16 * 1024 * 1024
export const TOO_LARGE = 'it is larger than 16 MiB'

/** Reads the files of stacks: regular files of text in UTF-8, of bounded size. `here` is the directory that messages show paths from. */
export function stackFiles(here: string): StackFiles {
  return {
    read: readFile,
    realPath: realPathOf,
    linkWithin,
    shown(path) {
      const shown = relative(here, path)
      return shown === '' || shown.length >= path.length ? path : shown
    },
  }
}

function readFile(path: string): FileReading {
  try {
    return fileAt(path)
  } catch (error) {
    if (isAbsent(error)) return { kind: 'absent' }
    if (systemErrorCode(error) === undefined) throw error
    return { kind: 'unreadable', reason: reasonOf(error) }
  }
}

/** Waits for no writer of a pipe, and reads what has no size, as in /proc, no further than a file may be long. */
function fileAt(path: string): FileReading {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const status = fstatSync(file)
    if (!status.isFile()) return { kind: 'unreadable', reason: 'it is not a file' }
    if (status.size > MAX_BYTES) return TOO_LARGE_TO_READ
    const chunks: Buffer[] = []
    let size = 0
    for (let count = CHUNK_BYTES; count > 0; size += count) {
      if (size > MAX_BYTES) return TOO_LARGE_TO_READ
      const chunk = Buffer.allocUnsafe(Math.max(status.size - size + 1, CHUNK_BYTES))
      count = readSync(file, chunk)
      chunks.push(chunk.subarray(0, count))
    }
    return textOf(Buffer.concat(chunks))
  } finally {
    closeSync(file)
  }
}

const CHUNK_BYTES = 16 * 1024
const TOO_LARGE_TO_READ: FileReading = { kind: 'unreadable', reason: TOO_LARGE }

function textOf(bytes: Uint8Array): FileReading {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { kind: 'unreadable', reason: 'it is not text in UTF-8' }
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

/** Whether there is nothing at a path, or something on the way to it that is no directory. */
export function isAbsent(error: unknown): boolean {
  const code = systemErrorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
