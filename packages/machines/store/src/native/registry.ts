import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DavitError, ExitStatus, printable } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { systemErrorCode } from '@davit/files'
import { alteredPackages } from './alterations.ts'
import { asideDirectory, readMark, removeMark, writeMark } from './altered-marks.ts'
import { encodeRegistration, parseRegistration, type Registration } from './registration.ts'
import { registrationFile, type StoreLayout } from './store-layout.ts'

/** Registrations of a store, which alone determine which paths are valid. */
export interface Registry {
  /** Returns nothing for a path that is not valid: it has no record, or was deleted without davit. */
  find(path: StorePath): Registration | undefined
  /** Like `find`, but throws for a path that is not valid. */
  get(path: StorePath): Registration
  /** Makes a path invalid; its tree is then rubbish. */
  withdraw(path: StorePath): void
  /** Makes a path invalid that was altered, until it is registered again; its tree is kept (see `altered-marks.ts`). */
  markAltered(path: StorePath, what: string): void
  /** Drops what it has found before, so that it reads the records again. */
  forget(): void
  /** Writes records into a directory on the same file system, where they have no effect yet. */
  prepare(registrations: readonly Registration[], directory: string): void
  /** Makes prepared records take effect. */
  publish(registrations: readonly Registration[], directory: string): void
}

export function openRegistry(layout: StoreLayout): Registry {
  const known = new Map<StorePath, Registration>()
  const find = (path: StorePath): Registration | undefined => {
    const registration = known.get(path) ?? readRegistration(layout, path)
    if (registration !== undefined) known.set(path, registration)
    return registration
  }
  const get = (path: StorePath): Registration => {
    const registration = find(path)
    if (registration === undefined) throw invalidPath(layout, path)
    return registration
  }
  return {
    find,
    get,
    withdraw(path) {
      rmSync(registrationFile(layout, path), { force: true })
      known.delete(path)
    },
    markAltered(path, what) {
      writeMark(layout, path, what)
      known.delete(path)
    },
    forget: () => known.clear(),
    prepare(registrations, directory) {
      for (const registration of registrations) {
        const file = registrationFile(layout, registration.path)
        writeFileSync(join(directory, basename(file)), encodeRegistration(registration), { mode: 0o644 })
      }
    },
    publish(registrations, directory) {
      for (const registration of registrations) {
        const file = registrationFile(layout, registration.path)
        renameSync(join(directory, basename(file)), file)
        removeMark(layout, registration.path)
        known.set(registration.path, registration)
      }
    },
  }
}

function readRegistration(layout: StoreLayout, path: StorePath): Registration | undefined {
  if (dirname(path) !== layout.directory) throw wrongStore(layout, path)
  try {
    const registration = parseRegistration(readFileSync(registrationFile(layout, path), 'utf8'), path)
    lstatSync(path)
    return readMark(layout, path) === undefined ? registration : undefined
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined
    throw error
  }
}

function invalidPath(layout: StoreLayout, path: StorePath): DavitError {
  const what = readMark(layout, path)
  if (what !== undefined) return alteredPackages([{ path, what: printable(what) }], asideDirectory(layout))
  return new DavitError('invalid-path', `'${path}' is not in the store`, {
    exitStatus: ExitStatus.noInput,
    hint: 'run davit-normalize and davit-manifest again; they make what is missing',
  })
}

function wrongStore({ directory }: StoreLayout, path: StorePath): DavitError {
  return new DavitError('wrong-store', `'${path}' does not belong to the store '${directory}'`, {
    exitStatus: ExitStatus.badDocument,
    hint:
      dirname(path) === NIX_STORE
        ? 'it is in the Nix store: use davit-env --store nix'
        : 'use the store that the document names, or start again from the models',
  })
}

const NIX_STORE = '/nix/store'
