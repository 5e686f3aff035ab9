import { existsSync, renameSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import {
  isMissing,
  linkWithin,
  makeDirectories,
  refuseLink,
  removeTree,
  syncDirectory,
  systemErrorCode,
  walkTree,
} from '@davit/files'
import { ORIGIN_FILE } from './origin-file.ts'
import { writing } from './writing.ts'

/** Directory aside of stacks that have been taken from their places, for as long as they are needed. */
export const REPLACED = 'replaced'

/** Where a stack goes: a path below the directory of fetched stacks. */
export interface Place {
  readonly root: string
  readonly path: string
}

/**
 * Moves a stack to its place, whole: whoever looks finds the one before, none, or the new one. Stacks below that place that were fetched
 * on their own stay.
 */
export async function installTree(from: string, { root, path }: Place, aside: string): Promise<void> {
  const to = join(root, path)
  const old = join(aside, REPLACED, path)
  makeParent({ root, path })
  makeDirectories(dirname(old))
  writing(to, () => {
    while (!isInstalled(from, { root, path, old }));
  })
  await syncDirectory(dirname(to))
}

interface Replacement extends Place {
  readonly old: string
}

/** Makes the directory in which a place is. A link on the way may have come with the workspace, and lead anywhere. */
function makeParent({ root, path }: Place): void {
  const to = join(root, path)
  refuseLink(root, to)
  makeDirectories(dirname(to))
}

/** Another run may put the same stack there in the meantime: then this one has still to be installed. */
function isInstalled(from: string, { root, path, old }: Replacement): boolean {
  const to = join(root, path)
  const isReplaced = isMoved(to, old)
  try {
    return isMovedUnlessTaken(from, to)
  } finally {
    if (isReplaced) putBack(old, { root, path })
  }
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

function isMovedUnlessTaken(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(error) ?? '')) return false
    throw error
  }
}

/**
 * Gives a stack that was moved aside its place again. If another one is there by now, only the stacks below it go back, unless it has a
 * link on the way.
 */
export function putBack(old: string, place: Place): void {
  while (!isPutBack(old, place));
}

/** Another run may replace what is there in the meantime: then what is left has still to go back. */
function isPutBack(old: string, place: Place): boolean {
  const to = join(place.root, place.path)
  makeParent(place)
  if (isMovedUnlessTaken(old, to)) return true
  for (const path of fetchedBelow(old)) {
    const below = join(to, path)
    if (existsSync(join(below, ORIGIN_FILE)) || linkWithin(to, below) !== undefined) continue
    removeTree(below)
    makeDirectories(dirname(below))
    if (!isMovedBelow(join(old, path), below)) return false
  }
  removeTree(old)
  return true
}

function isMovedBelow(from: string, to: string): boolean {
  try {
    return isMovedUnlessTaken(from, to)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Directories in a directory with a record of their own, without those that are within another one. */
export function fetchedBelow(directory: string): readonly string[] {
  const found: string[] = []
  for (const { path } of existsSync(directory) ? walkTree(directory) : []) {
    const parent = posix.dirname(path)
    const isRecord = posix.basename(path) === ORIGIN_FILE && parent !== '.'
    if (isRecord && !found.some((other) => parent.startsWith(`${other}/`))) found.push(parent)
  }
  return found
}
