import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A directory that goes away with the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'davit-scratch-'))
  onTestFinished(() => removeTree(directory))
  return directory
}

/** Removes what a test has left, read-only and very deep directories included; who still writes there is waited for. */
export function removeTree(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 8, retryDelay: 20 })
  } catch {
    // Who is not root may remove nothing from a directory that is read-only.
    spawnSync('chmod', ['-R', 'u+rwX', directory])
    const { status, stderr } = spawnSync('rm', ['-rf', directory], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
}
