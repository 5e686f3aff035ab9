import { realpath, rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { DavitError, ExitStatus } from '@davit/diagnostics'
import { packArchive, unpackArchive } from '@davit/files'

import { type Client, perform } from './client.ts'
import { exportDirectory } from './export-directory.ts'

export interface SnapshotsToImport {
  readonly container: string
  readonly component: string
  /** Directories, whose names are those of the snapshots, oldest first. */
  readonly paths: readonly string[]
  /** Whether they are on this machine, or on that of the operation. */
  readonly kind: 'local' | 'remote'
}

/** Makes directories the latest snapshots of a component there. */
export async function importSnapshots(
  client: Client,
  { container, component, paths, kind }: SnapshotsToImport,
): Promise<number> {
  if (kind === 'remote')
    return perform(client, { operation: 'import_snapshots', words: [container, component, ...paths] })
  for (const path of paths.map((given) => resolve(given))) {
    await requireDirectory(path)
    const name = basename(path)
    // Otherwise, nothing but a link would be sent.
    const tree = await realpath(path)
    const send = (stdin: Writable) => pipeline(packArchive([{ name, tree }]), stdin)
    const status = await perform(client, { operation: 'receive_snapshot', words: [container, component, name], send })
    if (status !== 0) return status
  }
  return 0
}

async function requireDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return
  throw new DavitError('no-input', `there is no directory '${path}'`, {
    exitStatus: ExitStatus.noInput,
    hint: 'name directories of snapshots',
  })
}

/** Copies directories from there, each into a new directory of this machine, and prints the paths of the latter. */
export async function exportSnapshots(client: Client, paths: readonly string[]): Promise<number> {
  for (const path of paths) {
    const directory = await exportDirectory(client.environment)
    const place = join(directory, 'snapshot')
    let isWhole = false
    try {
      const receive = async (stdout: Readable) => {
        await unpackArchive(stdout, place, LIMITS).catch((error: unknown) => {
          failure = error
        })
      }
      let failure: unknown
      const status = await perform(client, { operation: 'send_snapshot', words: [path], receive })
      // The script there fails too if nobody reads what it sends.
      if (failure !== undefined) throw failure
      if (status !== 0) return status
      isWhole = true
      await client.print(`${place}\n`)
    } finally {
      if (!isWhole) await rm(directory, { recursive: true, force: true })
    }
  }
  return 0
}

/** State may be as large as a disk. */
const LIMITS = { maxEntries: 10_000_000, maxBytes: Number.MAX_SAFE_INTEGER / 2 }
