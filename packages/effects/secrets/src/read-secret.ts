import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

import { DavitError } from '@davit/diagnostics'
import type { SecretReference } from '@davit/documents'
import { reasonOf } from '@davit/files'
import { type Environment, runCommand } from '@davit/process'

export interface SecretReading {
  readonly environment: Environment
  /** Directory in which commands run. */
  readonly workingDirectory: string
  /** How long a command may take; five minutes by default, as somebody may have to unlock a key. */
  readonly timeoutSeconds?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** The kernel's limit for one string of an environment: no module could get more. */
const MAX_BYTES = 131_071
const MAX_STDERR = 1_000
const COMMAND_SECONDS = 300

/**
 * Reads the value of a secret; throws a DavitError `secret-unresolved` with the reason. One line break at the end of a file, or of what
 * a command prints, is not part of the value.
 */
export async function readSecret(reference: SecretReference, reading: SecretReading): Promise<string> {
  const value = await valueOf(reference, reading)
  if (value === '') throw unresolved('it is empty')
  if (value.includes('\0')) throw unresolved('it contains a NUL byte, which no variable can')
  if (value.includes('\uFFFD')) throw unresolved('it is not UTF-8 text: encode it, for instance as base64')
  if (Buffer.byteLength(value) > MAX_BYTES) throw tooLong()
  return value
}

async function valueOf(reference: SecretReference, reading: SecretReading): Promise<string> {
  if ('file' in reference) return withoutLineBreak(await textOfFile(reference.file))
  if ('command' in reference) return withoutLineBreak(await outputOf(reference.command, reading))
  const { environment } = reading
  const value = Object.hasOwn(environment, reference.env) ? environment[reference.env] : undefined
  if (value === undefined) throw unresolved('the variable is not set')
  return value
}

function withoutLineBreak(text: string): string {
  return text.replace(/\r?\n$/, '')
}

async function textOfFile(path: string): Promise<string> {
  try {
    return await beginningOf(path)
  } catch (error) {
    throw error instanceof DavitError ? error : unresolved(reasonOf(error))
  }
}

/** Reads no more than can be used: the file may be a device. Opening a pipe would wait until somebody writes to it. */
async function beginningOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if ((await file.stat()).isFIFO()) throw unresolved('it is a named pipe: name a file, or a command that prints it')
    const buffer = Buffer.alloc(MAX_BYTES + 3)
    let length = 0
    for (let read = 1; read > 0 && length < buffer.length; length += read)
      read = (await file.read(buffer, length, buffer.length - length, null)).bytesRead
    if (length === buffer.length) throw tooLong()
    return buffer.toString('utf8', 0, length)
  } finally {
    await file.close()
  }
}

async function outputOf(command: string | readonly string[], reading: SecretReading): Promise<string> {
  const [program = '', ...words] = typeof command === 'string' ? ['sh', '-c', command] : command
  const { environment, workingDirectory, timeoutSeconds = COMMAND_SECONDS, signal } = reading
  const running = {
    argv: [program, ...words] as const,
    env: environment,
    cwd: workingDirectory,
    timeoutSeconds,
    descriptors: 'keep' as const,
    ...(signal === undefined ? {} : { signal }),
  }
  const { exitCode, stdout, stderr } = await runCommand(running).catch((error: unknown) => {
    if (signal?.aborted === true || !(error instanceof DavitError)) throw error
    throw unresolved(error.code === 'command-timeout' ? tookTooLong(timeoutSeconds) : error.message)
  })
  if (exitCode === 0) return stdout
  const said = stderr.trim()
  throw unresolved(`the command ended with status ${exitCode}${said === '' ? '' : `: ${said.slice(-MAX_STDERR)}`}`)
}

function tookTooLong(seconds: number): string {
  return `the command took longer than ${seconds} seconds; DAVIT_SECRET_TIMEOUT sets another limit`
}

function tooLong(): DavitError {
  return unresolved(`it has more than ${MAX_BYTES} bytes, which is the limit of a variable`)
}

function unresolved(reason: string): DavitError {
  return new DavitError('secret-unresolved', reason)
}
