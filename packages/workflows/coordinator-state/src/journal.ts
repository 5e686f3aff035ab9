import { closeSync, constants, fstatSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isMissing, makeDirectories, reasonOf, systemErrorCode, whyNotWritten } from '@davit/files'

import { encodeEntry, type JournalEntry, parseEntry } from './journal-entry.ts'
import { type DeploymentPlace, journalOf } from './place.ts'

/** Who writes what it does to a deployment, at the same time as others perhaps. */
export interface Journal {
  /** It has left this process when this returns, so that it survives whatever happens to it. */
  append(entry: JournalEntry): void
  /** All that was written survives whatever happens to this machine. */
  sync(): void
  close(): void
}

export interface ReadEntry {
  readonly entry: JournalEntry
  /** As it was written. */
  readonly line: string
}

export interface ReadJournal {
  /** In the order in which they were written. */
  readonly entries: readonly ReadEntry[]
  /** Lines that are no entries. */
  readonly damaged: readonly { readonly file: string; readonly line: number }[]
}

/**
 * The files of a journal are numbered; entries go to the last one. When that is large, the next number begins, and the one before
 * the last goes. Nothing is renamed: of two that do so at the same time, neither can put away what the other has begun.
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
      // Ahead of the entry: the one before it may have been cut off.
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

/** Empty where nobody has written one. */
export async function readJournal(place: DeploymentPlace): Promise<ReadJournal> {
  try {
    return await readFiles(place)
  } catch (cause) {
    const denied = ['EACCES', 'EPERM'].includes(systemErrorCode(cause) ?? '')
    throw new DavitError('cannot-read', `cannot read the journal '${journalOf(place)}': ${reasonOf(cause)}`, {
      exitStatus: denied ? ExitStatus.permission : ExitStatus.noInput,
      hint: 'check who owns it, and who runs this',
      cause,
    })
  }
}

/** Of one file; there are two of them at most. */
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
    // The state directory is for others to look into, as far as they are allowed to.
    makeDirectories(dirname(dirname(place)))
    makeDirectories(journalOf(place), 0o700)
    return openNumber(place, numbersIn(place).at(-1) ?? 1)
  })
}

function openNumber(place: DeploymentPlace, number: number): OpenFile {
  const path = join(journalOf(place), String(number))
  return { number, path, descriptor: openSync(path, O_WRONLY | O_APPEND | O_CREAT, 0o600) }
}

/** Of files that were begun. */
function syncNames(place: DeploymentPlace): void {
  const directory = openSync(journalOf(place), O_RDONLY)
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants

/** Why, the next attempt tells. */
function cutOff({ descriptor }: OpenFile): Error {
  writeSync(descriptor, '\n')
  return new Error('an entry was cut off')
}

/** Or removed by hand. */
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

/** What is not UTF-8 damages only its line; what others have put away meanwhile is not missed. */
async function textOf(file: string): Promise<string> {
  try {
    return (await readFile(file)).toString('utf8')
  } catch (cause) {
    if (isMissing(cause)) return ''
    throw cause
  }
}
