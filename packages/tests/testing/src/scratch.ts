import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Makes a directory that is removed after the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'davit-scratch-'))
  onTestFinished(() => removeTree(directory))
  return directory
}

/** Makes a directory for a server, whose files need not outlive this machine: in memory, if there is room. The caller removes it. */
export function serverDirectory(prefix: string): string {
  return mkdtempSync(join(isRoomy(MEMORY) ? MEMORY : tmpdir(), prefix))
}

const MEMORY = '/dev/shm'

function isRoomy(directory: string): boolean {
  if (!existsSync(directory)) return false
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize > 4_000_000_000
}

/** Removes a directory of a test, including read-only and very deep directories; retries while something still writes there. */
export function removeTree(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 8, retryDelay: 20 })
  } catch {
    // Only root can remove files from a read-only directory.
    spawnSync('chmod', ['-R', 'u+rwX', directory])
    const { status, stderr } = spawnSync('rm', ['-rf', directory], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
}
