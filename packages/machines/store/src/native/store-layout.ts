import { basename, dirname, join } from 'node:path'
import type { StorePath } from '@davit/documents'

/** Where a native store keeps what is not a package. The shell half on the targets uses the same places. */
export interface StoreLayout {
  readonly directory: string
  /** A path is valid if its record is here. */
  readonly registrations: string
  /** Work in progress, on the same file system; nothing in it is valid. */
  readonly incoming: string
  readonly logs: string
  readonly locks: string
  /** Symbolic links to paths that must be kept. */
  readonly roots: string
}

export function storeLayout(directory: string): StoreLayout {
  const hidden = join(directory, '.davit')
  return {
    directory,
    registrations: join(hidden, 'registrations'),
    incoming: join(hidden, 'incoming'),
    logs: join(hidden, 'logs'),
    locks: join(hidden, 'locks'),
    roots: join(hidden, 'roots'),
  }
}

export function registrationFile(layout: StoreLayout, path: StorePath): string {
  return join(layout.registrations, `${basename(path)}.json`)
}

/** Claim of whoever changes what is valid or kept, on a target or as one. */
export function claimFile(layout: StoreLayout): string {
  return join(dirname(layout.registrations), 'commit')
}

/** Directory with a file for each process that is about to need paths. */
export function neededDirectory(layout: StoreLayout): string {
  return join(dirname(layout.registrations), 'needed')
}

/** Directory with a file for each derivation that comes from a fetched stack. */
export function fetchedDirectory(layout: StoreLayout): string {
  return join(dirname(layout.registrations), 'fetched')
}

/** File that every collection of garbage changes. */
export function collectionsFile(layout: StoreLayout): string {
  return join(dirname(layout.registrations), 'collected')
}

export function logFile(layout: StoreLayout, output: StorePath): string {
  return join(layout.logs, `${basename(output)}.log`)
}
