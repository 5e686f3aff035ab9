import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from 'node:fs'

import { reasonOf } from '@davit/files'

/** A trace in the array form of Chrome's trace events; see docs/formats/trace.md. */
export interface TraceFile {
  /** Adds an event. The file is whole after each one, and several processes may add events at the same time. */
  add(event: object): void
}

/** Opens a trace, and creates it if necessary. An error in writing is told once, and ends the trace. */
export function openTraceFile(file: string, onTrouble: (reason: string) => void): TraceFile | undefined {
  try {
    begin(file)
    let descriptor: number | undefined = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
    return {
      add(event) {
        if (descriptor === undefined) return
        try {
          writeWhole(descriptor, `${JSON.stringify(event)},\n`)
        } catch (error) {
          closeSync(descriptor)
          descriptor = undefined
          onTrouble(troubleWith(file, error))
        }
      },
    }
  } catch (error) {
    onTrouble(troubleWith(file, error))
    return undefined
  }
}

/** Viewers need the bracket at the beginning, and do without the one at the end. */
const BEGINNING = '[\n'

/**
 * Begins a new or empty file. Whoever finds it empty writes the same bytes at the same place, before it adds anything, so that
 * processes that begin together do not disturb each other.
 */
function begin(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw new Error('it is a link')
  // Opening a pipe must not wait for its reader, and a link could lead to the file of somebody else.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOFOLLOW
  const descriptor = openSync(file, flags, 0o666)
  try {
    const status = fstatSync(descriptor)
    if (!status.isFile()) throw new Error('it is not a regular file')
    if (status.size === 0) writeSync(descriptor, BEGINNING, 0)
    const beginning = Buffer.alloc(BEGINNING.length)
    readSync(descriptor, beginning, { position: 0 })
    if (beginning.toString() !== BEGINNING) throw new Error('it contains something else')
  } finally {
    closeSync(descriptor)
  }
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text)
  if (writeSync(descriptor, bytes) !== bytes.length) throw new Error('no space left on device')
}

function troubleWith(file: string, error: unknown): string {
  return `cannot write the trace '${file}': ${reasonOf(error)}`
}
