import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Environment, RunningCommand } from '@davit/process'

import { plainText } from './plain-text.ts'
import { startNix } from './run-nix.ts'

export interface TransferFile {
  readonly environment: Environment
  readonly file: string
  readonly signal: AbortSignal
}

/** Writes valid paths to a file, in the format of `nix-store --export`; references come before what refers to them, in the order given. */
export async function exportPaths(paths: readonly StorePath[], transfer: TransferFile): Promise<void> {
  const command = await start(['--export', ...paths], transfer)
  command.stdin.end()
  await whileItRuns(command, () => pipeline(command.stdout, createWriteStream(transfer.file)))
}

/** Makes the paths in a file of that format valid. */
export async function importPaths(transfer: TransferFile): Promise<void> {
  const command = await start(['--import'], transfer)
  command.stdout.resume()
  await whileItRuns(command, () => pipeline(createReadStream(transfer.file), command.stdin))
}

function start(words: readonly string[], { environment, signal }: TransferFile): Promise<RunningCommand> {
  return startNix({ argv: ['nix-store', ...words], environment, signal })
}

async function whileItRuns(command: RunningCommand, transfer: () => Promise<void>): Promise<void> {
  const said = endOf(command)
  // A program that fails breaks its stream: its status and its words tell more.
  const broken = await transfer().then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const status = await command.exit
  if (status !== 0) throw failed(status, said())
  if (broken !== undefined) throw broken.error
}

const MAX_CHARACTERS = 4_000

function endOf({ stderr }: RunningCommand): () => string {
  let text = ''
  stderr.setEncoding('utf8')
  stderr.on('data', (chunk: string) => {
    text = `${text}${chunk}`.slice(-MAX_CHARACTERS)
  })
  return () => text
}

function failed(status: number, said: string): DavitError {
  const reason = plainText(said.trim().split('\n').slice(-3).join('; ')) || `it ended with status ${status}`
  return new DavitError('nix-failed', `'nix-store' failed: ${reason}`, { exitStatus: ExitStatus.cannotCreate })
}
