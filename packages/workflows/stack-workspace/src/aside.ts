import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing, isOwnDirectory, makeDirectories, refuseForeign, refuseLink, removeTree } from '@davit/files'
import { encodeProcessReference, isProcessGone, parseProcessReference, processReference } from '@davit/process'
import { fetchedBelow, putBack, REPLACED } from './install-tree.ts'
import { writing } from './writing.ts'

const ASIDE = '.fetching-'

/** Calls a function with a directory beside fetched stacks, on the same file system, and removes it afterwards. */
export async function withAside<Result>(root: string, use: (aside: string) => Promise<Result>): Promise<Result> {
  const aside = asideOf(root)
  while (!isMade(root, aside));
  try {
    return await use(aside)
  } finally {
    removeTree(aside)
    removeIfEmpty(root)
  }
}

function asideOf(root: string): string {
  return join(root, `${ASIDE}${encodeProcessReference(processReference())}`)
}

/** Another run may remove the directory of fetched stacks as long as it is empty. */
function isMade(root: string, aside: string): boolean {
  refuseLink(root, root)
  makeDirectories(root)
  return writing(root, () => {
    try {
      mkdirSync(aside, { mode: 0o700 })
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  })
}

/** Removes what killed processes of this user have left beside fetched stacks; what they had taken from its place goes back. */
export function cleanAside(root: string): void {
  const own = asideOf(root)
  for (const name of leftIn(root)) {
    refuseLink(root, root)
    refuseForeign(root)
    // Only one of several runs gets it.
    if (!isRenamed(join(root, name), own)) continue
    const replaced = join(own, REPLACED)
    for (const path of fetchedBelow(replaced)) putBack(join(replaced, path), { root, path })
    removeTree(own)
    removeIfEmpty(root)
  }
}

function leftIn(root: string): readonly string[] {
  return namesIn(root).filter((name) => {
    const owner = name.startsWith(ASIDE) ? parseProcessReference(name.slice(ASIDE.length)) : undefined
    return owner !== undefined && isProcessGone(owner) && isOwnDirectory(join(root, name))
  })
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // It holds stacks, or has been removed already.
  }
}
