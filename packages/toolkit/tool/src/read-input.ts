import { createReadStream } from 'node:fs'
import { addAbortSignal, type Readable } from 'node:stream'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Input } from './tool-context.ts'
import { usageError } from './usage-error.ts'

export interface InputSource {
  /** Used only if it is read. */
  readonly standardInput: Readable & { readonly isTTY?: boolean | undefined }
  readonly signal: AbortSignal
}

/** Reads a file, or standard input if the operand is missing or `-`. */
export async function readInput(operand: string | undefined, source: InputSource): Promise<Input> {
  const file = operand === undefined || operand === '-' ? STANDARD_INPUT : operand
  const stream = file === STANDARD_INPUT ? standardInputOf(source) : createReadStream(file)
  return { text: decode(await readAll(stream, { file, signal: source.signal }), file), file }
}

const STANDARD_INPUT = '<stdin>'

function standardInputOf({ standardInput }: InputSource): Readable {
  const { isTTY, readableEnded } = standardInput
  if (isTTY) throw usageError('no document: standard input is a terminal', 'name a file, or pipe a document in')
  if (readableEnded) throw usageError('standard input cannot be read twice', "name a file instead of one '-'")
  return standardInput
}

/** As much as the document reader accepts, and a limit for endless streams. */
const MAX_BYTES = 256 * 1024 * 1024

async function readAll(stream: Readable, { file, signal }: { file: string; signal: AbortSignal }): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_BYTES) throw badInput(`'${file}' is larger than ${MAX_BYTES / 1024 / 1024} MiB`)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof DavitError ? error : unreadable(file, error)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw badInput(`'${file}' is not UTF-8 text`, cause)
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['ENOTDIR', 'no such file'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'permission denied'],
])

function unreadable(file: string, cause: unknown): DavitError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = REASONS.get(code)
  const hint = 'check the name of the file'
  if (reason !== undefined) return noInput(`cannot read '${file}': ${reason}`, { hint })
  return noInput(`cannot read '${file}'`, { hint, cause })
}

function noInput(message: string, options: { readonly hint: string; readonly cause?: unknown }): DavitError {
  return new DavitError('no-input', message, { exitStatus: ExitStatus.noInput, ...options })
}

function badInput(message: string, cause?: unknown): DavitError {
  return new DavitError('invalid-document', message, { exitStatus: ExitStatus.badDocument, cause })
}
