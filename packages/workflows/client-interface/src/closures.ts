import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { reasonOf } from '@davit/files'

import { type Client, perform } from './client.ts'
import { exportDirectory } from './export-directory.ts'

export type ClosureFile =
  /** A file of this machine. */
  | { readonly kind: 'local'; readonly path: string }
  /** A file of the machine on which the operation is carried out. */
  | { readonly kind: 'remote'; readonly path: string }

/** Makes the paths in a file of `nix-store --export` valid there. */
export async function importClosures(client: Client, { kind, path }: ClosureFile): Promise<number> {
  if (kind === 'remote') return perform(client, { operation: 'import', words: [path] })
  await requireFile(path)
  const send = (stdin: Writable) => pipeline(createReadStream(path), stdin)
  return perform(client, { operation: 'import', words: ['-'], send })
}

/** Refuses what cannot be read before anything is sent. */
async function requireFile(path: string): Promise<void> {
  const file = await open(path).catch((cause: unknown) => {
    throw unreadable(path, reasonOf(cause))
  })
  const isDirectory = (await file.stat()).isDirectory()
  await file.close()
  if (isDirectory) throw unreadable(path, 'it is a directory')
}

function unreadable(path: string, reason: string): DavitError {
  return new DavitError('no-input', `cannot read '${path}': ${reason}`, {
    exitStatus: ExitStatus.noInput,
    hint: "name a file that 'nix-store --export' has written",
  })
}

/** Writes paths, as `nix-store --export` does, to a new file on this machine, and prints its path. */
export async function exportClosures(client: Client, paths: readonly string[]): Promise<number> {
  const directory = await exportDirectory(client.environment)
  const file = join(directory, 'closure')
  let isWhole = false
  try {
    const receive = (stdout: Readable) => pipeline(stdout, createWriteStream(file, { mode: 0o600 }))
    const status = await perform(client, { operation: 'export', words: paths, receive })
    isWhole = status === 0
    if (isWhole) await client.print(`${file}\n`)
    return status
  } finally {
    if (!isWhole) await rm(directory, { recursive: true, force: true })
  }
}
