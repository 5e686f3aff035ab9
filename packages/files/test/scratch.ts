import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeTree } from '../src/files.ts'

/** A directory that goes away with the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'davit-files-'))
  onTestFinished(() => removeTree(directory))
  return directory
}
