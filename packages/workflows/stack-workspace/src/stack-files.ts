import { readFileSync, realpathSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { reasonOf, systemErrorCode } from '@davit/files'
import type { FileReading, StackFiles } from '@davit/stack'

/** Larger files are no stacks; the expansion of a template is bounded by as much. */
export const MAX_BYTES = 16 * 1024 * 1024
export const TOO_LARGE = 'it is larger than 16 MiB'

/** Reads the files of stacks: regular files of text in UTF-8, of bounded size. `here` is the directory that messages show paths from. */
export function stackFiles(here: string): StackFiles {
  return {
    read: readFile,
    realPath: realPathOf,
    shown(path) {
      const shown = relative(here, path)
      return shown === '' || shown.length >= path.length ? path : shown
    },
  }
}

function readFile(path: string): FileReading {
  try {
    const { size, ...stat } = fileAt(path)
    if (!stat.isFile) return { kind: 'unreadable', reason: 'it is not a file' }
    if (size > MAX_BYTES) return { kind: 'unreadable', reason: TOO_LARGE }
    return textOf(readFileSync(path))
  } catch (error) {
    if (isAbsent(error)) return { kind: 'absent' }
    if (systemErrorCode(error) === undefined) throw error
    return { kind: 'unreadable', reason: reasonOf(error) }
  }
}

function fileAt(path: string): { readonly size: number; readonly isFile: boolean } {
  const stat = statSync(path)
  return { size: stat.size, isFile: stat.isFile() }
}

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
