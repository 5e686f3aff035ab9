import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorCode } from './system-error.ts'

/**
 * Removes a file or directory if it exists, read-only and very deep directories in it included; follows no links. Waits a
 * moment for a process that still writes there and is about to end.
 */
export function removeTree(path: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return rmSync(path, { recursive: true, force: true })
    } catch (error) {
      const isRemovable = ['EACCES', 'EPERM', 'ENOTEMPTY', 'ENAMETOOLONG'].includes(systemErrorCode(error) ?? '')
      if (!isRemovable || attempt === ATTEMPTS) throw error
      if (attempt > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attempt * 20)
      makeRemovable(path)
    }
  }
}

const ATTEMPTS = 8

/** The system refuses paths of 4096 bytes, but allows directories whose paths are longer. */
const LONG_PATH = 2000

function makeRemovable(root: string): void {
  const waiting = [root]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const directory = path
    unlessGone(() => waiting.push(...openDirectory(directory, root)))
  }
}

/** Makes a directory removable and returns the directories in it, after it has moved up those that are too deep. */
function openDirectory(path: string, root: string): readonly string[] {
  if (!lstatSync(path).isDirectory()) return []
  chmodSync(path, 0o700)
  const directories = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return directories.map(({ name }) => {
    const inner = join(path, name)
    if (Buffer.byteLength(inner) - Buffer.byteLength(root) < LONG_PATH) return inner
    const raised = join(root, randomUUID())
    // A directory without write permission cannot be moved.
    chmodSync(inner, 0o700)
    renameSync(inner, raised)
    return raised
  })
}

/** Somebody else may be removing the same tree. */
function unlessGone(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
  }
}
