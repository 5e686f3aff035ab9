import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DavitError } from '@davit/diagnostics'
import { walkTree } from '@davit/files'
import { type Environment, runCommand } from '@davit/process'

/** More entries than this are synced with the whole file system, which Node itself cannot do. */
const MAX_SINGLE_SYNCS = 64

/** Makes trees in the store survive a loss of power. */
export async function syncTrees(
  trees: readonly string[],
  storeDirectory: string,
  environment: Environment,
): Promise<void> {
  const paths: string[] = []
  for (const path of pathsIn(trees)) {
    paths.push(path)
    if (paths.length > MAX_SINGLE_SYNCS) return syncFileSystem(storeDirectory, environment)
  }
  for (const path of paths) syncPath(path)
}

function* pathsIn(trees: readonly string[]): Generator<string, void, undefined> {
  for (const tree of trees) {
    for (const entry of walkTree(tree)) {
      if (entry.kind !== 'symlink') yield join(tree, entry.path)
    }
  }
}

function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

async function syncFileSystem(directory: string, env: Environment): Promise<void> {
  const { exitCode } = await runCommand({ argv: ['sync', '-f', directory], env })
  if (exitCode === 0) return
  const everything = await runCommand({ argv: ['sync'], env })
  if (everything.exitCode === 0) return
  throw new DavitError('cannot-sync', `cannot sync '${directory}': ${everything.stderr.trim()}`, {
    hint: 'check the disk',
  })
}
