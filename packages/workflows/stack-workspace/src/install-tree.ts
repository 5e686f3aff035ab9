import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isMissing, makeDirectories, removeTree, syncDirectory, walkTree, whyNotWritten } from '@davit/files'
import { encodeProcessReference, isProcessGone, parseProcessReference, processReference } from '@davit/process'
import { ORIGIN_FILE } from './origin-file.ts'

const ASIDE = '.fetching-'

/**
 * Calls a function with a directory beside fetched stacks, on the same file system, and removes it afterwards. What processes
 * that were killed have left there is removed as well.
 */
export async function withAside<Result>(root: string, use: (aside: string) => Promise<Result>): Promise<Result> {
  makeDirectories(root)
  for (const name of readdirSync(root)) {
    const owner = name.startsWith(ASIDE) ? parseProcessReference(name.slice(ASIDE.length)) : undefined
    if (owner !== undefined && isProcessGone(owner)) removeTree(join(root, name))
  }
  const aside = join(root, `${ASIDE}${encodeProcessReference(processReference())}`)
  try {
    writing(root, () => mkdirSync(aside, { mode: 0o700 }))
    return await use(aside)
  } finally {
    removeTree(aside)
    removeIfEmpty(root)
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // It holds stacks, or has been removed already.
  }
}

/**
 * Moves a stack to its place, whole: whoever looks finds the one before, none, or the new one. Stacks below that place that were fetched
 * on their own stay.
 */
export async function installTree(from: string, to: string, aside: string): Promise<void> {
  const old = join(aside, 'replaced')
  makeDirectories(dirname(to))
  writing(to, () => {
    const isReplaced = isMoved(to, old)
    renameSync(from, to)
    if (!isReplaced) return
    for (const path of fetchedBelow(old)) bringBack(join(old, path), join(to, path))
    removeTree(old)
  })
  await syncDirectory(dirname(to))
}

function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Directories with a record of their own, without those that are within another one. */
function fetchedBelow(directory: string): readonly string[] {
  const found: string[] = []
  for (const { path } of walkTree(directory)) {
    const parent = posix.dirname(path)
    const isRecord = posix.basename(path) === ORIGIN_FILE && parent !== '.'
    if (isRecord && !found.some((other) => parent.startsWith(`${other}/`))) found.push(parent)
  }
  return found
}

function bringBack(from: string, to: string): void {
  makeDirectories(dirname(to))
  removeTree(to)
  renameSync(from, to)
}

/** Turns a failure to write into an error that says what to do. */
function writing(path: string, write: () => void): void {
  try {
    write()
  } catch (cause) {
    if (cause instanceof DavitError) throw cause
    const { reason, hint } = whyNotWritten(path, cause)
    const exitStatus = ExitStatus.cannotCreate
    throw new DavitError('cannot-create', `cannot create '${path}': ${reason}`, { exitStatus, hint, cause })
  }
}
