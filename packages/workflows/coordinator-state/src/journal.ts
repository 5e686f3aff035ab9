import { closeSync, constants, fstatSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isMissing, makeDirectories, reasonOf, systemErrorCode, whyNotWritten } from '@davit/files'

import { encodeEntry, type JournalEntry, parseEntry } from './journal-entry.ts'
import { type DeploymentPlace, journalOf } from './place.ts'

/** The journal of a deployment, open for appending; other processes may append at the same time. */
export interface Journal {
  /** Hands the entry to the system, so that it survives a crash of this process. */
  append(entry: JournalEntry): void
  /** Flushes all entries to disk, so that they survive a crash of this machine. */
  sync(): void
  close(): void
}

export interface ReadEntry {
  readonly entry: JournalEntry
  /** The line as written. */
  readonly line: string
}

export interface ReadJournal {
  /** Entries in the order in which they were written. */
  readonly entries: readonly ReadEntry[]
  /** Lines that are not entries. */
  readonly damaged: readonly { readonly file: string; readonly line: number }[]
}

/**
 * Opens a journal. Its files are numbered, and entries go to the last one. When that is full, the next number begins, and files
 * before the full one are removed. Files are not renamed, so that two processes cannot put away each other's new file.
 */
export function openJournal(place: DeploymentPlace, maximumBytes = MAXIMUM_BYTES): Journal {
  let file = openLast(place)
  const renew = () => {
    const next = reopen(place, file, maximumBytes)
    closeSync(file.descriptor)
    file = next
  }
  return {
    append(entry) {
      // The newline comes first, since the entry before this one may have been cut off.
      const bytes = Buffer.from(`\n${encodeEntry(entry)}`)
      attempt(file.path, () => {
        if (isFull(file, maximumBytes)) renew()
        if (writeSync(file.descriptor, bytes) < bytes.length) throw cutOff(file)
      })
    },
    sync: () =>
      attempt(file.path, () => {
        fsyncSync(file.descriptor)
        syncNames(place)
      }),
    close: () => closeSync(file.descriptor),
  }
}

/** Reads the journal; it is empty if there is none. */
export async function readJournal(place: DeploymentPlace): Promise<ReadJournal> {
  try {
    return await readFiles(place)
  } catch (cause) {
    const denied = ['EACCES', 'EPERM'].includes(systemErrorCode(cause) ?? '')
    throw new DavitError('cannot-read', `cannot read the journal '${journalOf(place)}': ${reasonOf(cause)}`, {
      exitStatus: denied ? ExitStatus.permission : ExitStatus.noInput,
      hint: 'check its owner and permissions, and the user who runs this',
      cause,
    })
  }
}

/** Size of one file; there are at most two. */
const MAXIMUM_BYTES = 4 * 1024 * 1024

async function readFiles(place: DeploymentPlace): Promise<ReadJournal> {
  const entries: ReadEntry[] = []
  const damaged: { file: string; line: number }[] = []
  for (const number of numbersIn(place)) {
    const file = join(journalOf(place), String(number))
    for (const [index, line] of (await textOf(file)).split('\n').entries()) {
      if (line === '') continue
      const entry = parseEntry(line)
      if (entry === undefined) damaged.push({ file, line: index + 1 })
      else entries.push({ entry, line })
    }
  }
  return { entries, damaged }
}

interface OpenFile {
  readonly number: number
  readonly path: string
  readonly descriptor: number
}

function openLast(place: DeploymentPlace): OpenFile {
  return attempt(journalOf(place), () => {
    // The state directory itself keeps its usual mode, so that others can look into it.
    makeDirectories(dirname(dirname(place)))
    makeDirectories(journalOf(place), 0o700)
    return openNumber(place, numbersIn(place).at(-1) ?? 1)
  })
}

function openNumber(place: DeploymentPlace, number: number): OpenFile {
  const path = join(journalOf(place), String(number))
  return { number, path, descriptor: openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600) }
}

/** Flushes the names of new files to disk. */
function syncNames(place: DeploymentPlace): void {
  const directory = openSync(journalOf(place), O_RDONLY)
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants

/** Error for an entry that was cut off; writing the newline usually fails with the actual reason. */
function cutOff({ descriptor }: OpenFile): Error {
  writeSync(descriptor, '\n')
  return new Error('an entry was cut off')
}

/** Whether a file is full, or was removed by hand. */
function isFull({ descriptor }: OpenFile, maximumBytes: number): boolean {
  const { size, nlink } = fstatSync(descriptor)
  return size >= maximumBytes || nlink === 0
}

function reopen(place: DeploymentPlace, { number }: OpenFile, maximumBytes: number): OpenFile {
  const last = openNumber(place, Math.max(number, ...numbersIn(place)))
  if (!isFull(last, maximumBytes)) return last
  closeSync(last.descriptor)
  const next = openNumber(place, last.number + 1)
  for (const old of numbersIn(place).filter((one) => one < last.number)) {
    rmSync(join(journalOf(place), String(old)), { force: true })
  }
  return next
}

function numbersIn(place: DeploymentPlace): readonly number[] {
  try {
    const names = readdirSync(journalOf(place))
    return names
      .filter((name) => /^[1-9]\d{0,14}$/.test(name))
      .map(Number)
      .toSorted((left, right) => left - right)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    const { reason, hint } = whyNotWritten(path, cause)
    throw new DavitError('cannot-write', `cannot write the journal '${path}': ${reason}`, {
      exitStatus: ExitStatus.cannotCreate,
      hint,
      cause,
    })
  }
}

/** Reads a file; invalid UTF-8 damages only its line, and a file that has been removed is empty. */
async function textOf(file: string): Promise<string> {
  try {
    return (await readFile(file)).toString('utf8')
  } catch (cause) {
    if (isMissing(cause)) return ''
    throw cause
  }
}
