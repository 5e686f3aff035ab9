import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'

import type { StorePath } from '@davit/documents'
import type { StoreLayout } from '@davit/store'

import type { Machine } from '../machine.ts'
import { sendArchive } from '../streams/send-archive.ts'

/** Returns the base names that are not valid in the store of the machine; if there are none, protects paths there. */
export async function missingNames(
  machine: Machine<'carry'>,
  { registrations }: StoreLayout,
  { names, protect = [] }: { readonly names: readonly string[]; readonly protect?: readonly StorePath[] },
): Promise<readonly string[]> {
  const missing = new Set(await machine.request('native_missing', [registrations, ...protect, 'names', ...names]))
  return names.filter((name) => missing.has(name))
}

export interface ArchiveToImport {
  /** Contains the paths and their registrations, as `NativeStore.export` returns them. */
  readonly archive: Readable
  /** Base names of the sent paths, references before referrers. */
  readonly names: readonly string[]
  /** Base names of the sent paths to protect. */
  readonly protect: readonly string[]
  /** Base names of references that are already there. */
  readonly needs: readonly string[]
  readonly signal: AbortSignal
}

/** Sends an archive, which the machine unpacks outside the store, checks, moves into its store and registers. */
export async function importArchive(
  machine: Machine<'carry'>,
  layout: StoreLayout,
  sent: ArchiveToImport,
): Promise<void> {
  const name = `transfer.${randomBytes(12).toString('hex')}`
  const directory = `${layout.incoming}/${name}`
  try {
    const place = { incoming: layout.incoming, name, owner: machine.facts.helper }
    await sendArchive(machine, place, { ...sent, what: 'packages' })
    const places = [layout.directory, directory, layout.registrations, layout.roots] as const
    const { names, protect, needs } = sent
    await machine.request('native_commit', [...places, ...names, 'protect', ...protect, 'needs', ...needs])
  } catch (error) {
    // If this fails, the next transfer cleans up.
    await machine.request('native_discard', [directory]).catch(() => {})
    throw error
  }
}
