import { basename } from 'node:path'

import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { parseRegistration, type Registration, type StoreLayout, storeLayout } from '@davit/store'

import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'
import { alteredThere } from './altered.ts'
import { receiveArchive } from '../streams/receive-archive.ts'
import { notValidThere, type TransferOptions, type Transferred } from '../target-store.ts'
import type { NativeBuildPlace } from './build.ts'

/** Makes paths that are valid on a machine valid in the coordinator's store, with all that they need, as one stream. */
export async function bringNatively(
  { machine, store }: NativeBuildPlace,
  paths: readonly StorePath[],
  { signal }: TransferOptions,
): Promise<Transferred> {
  signal.throwIfAborted()
  if (paths.length === 0) return { paths: 0, bytes: 0 }
  const layout = storeLayout(store.reference.directory)
  const registrations = await closureThere(machine, layout, paths)
  const failed = (reason: string, cause?: Error) => bringFailed(machine, reason, cause)
  const added = await store
    .addCopies({
      paths,
      registrations,
      signal,
      receive: (names, use) => receiveArchive(machine, { directory: layout.directory, names, failed, signal }, use),
    })
    .catch(async (error: unknown) => {
      const path = hasCode(error, 'altered-package') ? [error.fields['altered']].flat()[0] : undefined
      const altered = registrations.find((one) => one.path === path)
      throw altered === undefined ? error : await alteredThere(machine, store, altered.path)
    })
  return { paths: added.length, bytes: added.reduce((sum, { size }) => sum + size, 0) }
}

/** Returns the registrations of paths on a machine and of all that they need there, which it keeps while its helper lives. */
async function closureThere(
  machine: Machine<'carry'>,
  { directory, registrations }: StoreLayout,
  paths: readonly StorePath[],
): Promise<readonly Registration[]> {
  const names = paths.map((path) => basename(path))
  const lines = await machine.request('native_closure', [registrations, ...names])
  const invalid = lines.flatMap((line) => INVALID.exec(line)?.[1] ?? [])
  if (invalid.length > 0) {
    throw notValidThere(
      machine.address,
      invalid.map((name) => `${directory}/${name}` as StorePath),
    )
  }
  return lines.map((line) => registrationIn(line, directory) ?? refuse(machine))
}

/** Returns the content hashes that a machine has registered, of these paths and of what they need, as far as it tells. */
export async function contentsThere(
  machine: Machine<'carry'>,
  { directory, registrations }: StoreLayout,
  paths: readonly StorePath[],
): Promise<ReadonlyMap<StorePath, string>> {
  const words = [registrations, ...paths.map((path) => basename(path))] as const
  const lines = await machine.request('native_closure', words).catch((error: unknown) => {
    // A registration there is damaged.
    if (hasCode(error, 'bad-request')) return []
    throw error
  })
  const known = lines.flatMap((line) => registrationIn(line, directory) ?? [])
  return new Map(known.map(({ path, contentHash }) => [path, contentHash]))
}

const INVALID = /^invalid ([0-9a-z]{1,64}-[A-Za-z0-9_.+?=-]{1,255})$/
const REGISTRATION = /^registration (\{.*\})$/
const PATH = '"path":"'

/** Parses a registration; the store judges what it claims. */
function registrationIn(line: string, directory: string): Registration | undefined {
  const [, text = ''] = REGISTRATION.exec(line) ?? []
  const at = text.lastIndexOf(PATH)
  const [path = ''] = at < 0 ? [] : text.slice(at + PATH.length).split('"', 1)
  return path.startsWith(`${directory}/`) ? parseRegistration(text, path as StorePath) : undefined
}

function refuse({ address }: Machine<'carry'>): never {
  throw badAnswer(address)
}

function bringFailed({ address }: Machine<'carry'>, reason: string, cause?: Error): DavitError {
  return new DavitError('fetch-failed', `cannot copy packages from '${address}': ${reason}`, {
    exitStatus: ExitStatus.failed,
    hint: 'run the same command again',
    ...(cause === undefined ? {} : { cause }),
  })
}
