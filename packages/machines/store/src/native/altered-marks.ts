import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { StorePath } from '@davit/documents'
import { isDenied, isMissing } from '@davit/files'
import type { StoreLayout } from './store-layout.ts'

/**
 * A mark says that a path was altered: it is not valid any more, and whatever makes it again moves aside what is there, since a program may
 * have written data into it. The shell half on the targets uses the same places.
 */
export function alteredMark(layout: StoreLayout, path: StorePath): string {
  return join(hiddenDirectory(layout), 'altered', basename(path))
}

/** Directory for what was altered, once its path was made again. */
export function asideDirectory(layout: Pick<StoreLayout, 'registrations'>): string {
  return join(hiddenDirectory(layout), 'set-aside')
}

function hiddenDirectory({ registrations }: Pick<StoreLayout, 'registrations'>): string {
  return dirname(registrations)
}

/** Returns how a path was altered, if it is marked. */
export function readMark(layout: StoreLayout, path: StorePath): string | undefined {
  try {
    return readFileSync(alteredMark(layout, path), 'utf8').trim()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Marks a path, unless this account may not write to the store. */
export function writeMark(layout: StoreLayout, path: StorePath, what: string): void {
  const mark = alteredMark(layout, path)
  try {
    mkdirSync(dirname(mark), { recursive: true })
    writeFileSync(mark, `${what}\n`, { mode: 0o644 })
  } catch (error) {
    if (!isDenied(error)) throw error
  }
}

export function removeMark(layout: StoreLayout, path: StorePath): void {
  rmSync(alteredMark(layout, path), { force: true })
}

/** Moves what is in the place of a path aside; returns where it is. Processes that run from there go on. */
export function setAside(layout: StoreLayout, path: StorePath): string {
  const directory = asideDirectory(layout)
  mkdirSync(directory, { recursive: true })
  if (lstatSync(path).isDirectory()) chmodSync(path, 0o755)
  const aside = join(directory, `${basename(path)}.${Date.now()}`)
  renameSync(path, aside)
  return aside
}
