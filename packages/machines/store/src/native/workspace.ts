import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree } from '@davit/files'
import { encodeProcessReference, isProcessGone, parseProcessReference, processReference } from '@davit/process'
import type { StoreLayout } from './store-layout.ts'

/** Calls a function with a fresh directory on the file system of the store, and removes the directory with all that is left in it. */
export async function withWorkspace<Result>(
  { incoming }: StoreLayout,
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = join(incoming, `${encodeProcessReference(processReference())}-${randomBytes(8).toString('hex')}`)
  mkdirSync(directory, { mode: 0o700 })
  try {
    return await use(directory)
  } finally {
    removeTree(directory)
  }
}

/** Removes what killed processes have left. */
export function sweepWorkspaces({ incoming }: StoreLayout): void {
  for (const name of readdirSync(incoming)) {
    const owner = parseProcessReference(name.split('-')[0] ?? '')
    if (owner !== undefined && isProcessGone(owner)) removeTree(join(incoming, name))
  }
}
