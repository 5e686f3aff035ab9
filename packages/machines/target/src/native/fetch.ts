import { basename } from 'node:path'

import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import {
  encodeRegistration,
  type NativeStore,
  type Registration,
  type StoreLayout,
  storeLayout,
  timeOfContent,
} from '@davit/store'
import { type AdoptedPath, adoptScript, encodeField, SLOW } from '@davit/target-runtime'

import { watchChannel } from '../helper/channel-watch.ts'
import type { Machine } from '../machine.ts'
import { alteredThere } from './altered.ts'
import { contentsThere } from './bring.ts'
import type { NativeBuildPlace } from './build.ts'
import { missingNames } from './import.ts'
import { refusedAccount } from '../helper/refused-request.ts'
import { streamTail } from '../helper/stream-tail.ts'
import { newMarker } from '../helper/after-marker.ts'
import { receiveArchive } from '../streams/receive-archive.ts'
import type { TransferOptions, Transferred } from '../target-store.ts'

/**
 * Makes outputs that a machine has built valid in the coordinator's store, then there, with the same registrations. After an
 * interruption in between they are only valid here; the machine is sent them like any other path when it needs them.
 */
export async function fetchNatively(
  { machine, store }: NativeBuildPlace,
  derivations: readonly StorePath[],
  { signal }: TransferOptions,
): Promise<Transferred> {
  signal.throwIfAborted()
  const outputs = await store.outputs(derivations)
  const pairs = [...outputs].flatMap(([derivation, paths]) => paths.map((path) => [path, derivation] as const))
  const invalid = new Set(await store.invalidPaths(pairs.map(([path]) => path)))
  const wanted = new Map(pairs.filter(([path]) => invalid.has(path)))
  const fetching: Fetching = { machine, store, layout: storeLayout(store.reference.directory), signal }
  return fetchWanted(fetching, wanted)
}

interface Fetching {
  readonly machine: Machine<'carry'>
  readonly store: NativeStore
  readonly layout: StoreLayout
  /** Content hashes of the outputs that are registered there. */
  readonly contents?: ReadonlyMap<StorePath, string>
  readonly signal: AbortSignal
}

/** The derivation of each output. */
type Wanted = ReadonlyMap<StorePath, StorePath>

async function fetchWanted(fetching: Fetching, wanted: Wanted): Promise<Transferred> {
  const waiting = await waitingNames(fetching, wanted)
  try {
    return await fetchParts(fetching, wanted, waiting)
  } catch (error) {
    fetching.signal.throwIfAborted()
    if (hasCode(error, 'altered-package')) throw error
    // Another coordinator may have made some of them valid in the meantime, which moves them.
    const stillWaiting = await waitingNames(fetching, wanted)
    if (stillWaiting.size === waiting.size) throw error
    return fetchParts(fetching, wanted, stillWaiting)
  }
}

/** Returns the base names of the outputs that are not valid on the machine. */
async function waitingNames({ machine, layout }: Fetching, wanted: Wanted): Promise<ReadonlySet<string>> {
  const names = [...wanted.keys()].map((path) => basename(path))
  return new Set(names.length === 0 ? [] : await missingNames(machine, layout, { names }))
}

async function fetchParts(fetching: Fetching, wanted: Wanted, waiting: ReadonlySet<string>): Promise<Transferred> {
  const { machine, layout } = fetching
  const part = (isWaiting: boolean) =>
    new Map([...wanted].filter(([path]) => waiting.has(basename(path)) === isWaiting))
  const valid = await fetchValid(fetching, part(false))
  const built = await fetchFrom(fetching, `${layout.incoming}/built.${machine.facts.bootId}/paths`, part(true))
  await adopt(fetching, recordsOf(built))
  const all = [...valid, ...built]
  return { paths: all.length, bytes: all.reduce((sum, { size }) => sum + size, 0) }
}

/** Fetches outputs that are valid on the machine, where services may use them, and may have written into them. */
async function fetchValid(fetching: Fetching, wanted: Wanted): Promise<readonly Registration[]> {
  if (wanted.size === 0) return []
  const { machine, store, layout } = fetching
  const contents = await contentsThere(machine, layout, [...wanted.keys()])
  try {
    return await fetchFrom({ ...fetching, contents }, layout.directory, wanted)
  } catch (error) {
    const path = hasCode(error, 'altered-package') ? [error.fields['altered']].flat()[0] : undefined
    const altered = [...wanted.keys()].find((one) => one === path)
    throw altered === undefined ? error : await alteredThere(machine, store, altered)
  }
}

async function fetchFrom(fetching: Fetching, directory: string, wanted: Wanted): Promise<readonly Registration[]> {
  if (wanted.size === 0) return []
  const { machine, store, contents, signal } = fetching
  const names = [...wanted.keys()].map((path) => basename(path))
  const failed = (reason: string, cause?: Error) => fetchFailed(machine, reason, cause)
  try {
    return await receiveArchive(machine, { directory, names, failed, signal }, (archive) =>
      store.addOutputs({
        derivations: [...wanted.values()],
        archive,
        signal,
        ...(contents === undefined ? {} : { contents }),
      }),
    )
  } catch (error) {
    signal.throwIfAborted()
    // The same archive would be as bad the next time.
    if (hasCode(error, 'bad-archive')) await forget(fetching, names)
    throw error
  }
}

function fetchFailed({ address }: Machine<'carry'>, reason: string, cause?: Error): DavitError {
  return new DavitError('fetch-failed', `cannot fetch what '${address}' has built: ${reason}`, {
    hint: 'run the same command again: what is still there is not built again',
    ...(cause === undefined ? {} : { cause }),
  })
}

function recordsOf(registrations: readonly Registration[]): readonly AdoptedPath[] {
  return registrations.map((registration) => ({
    name: basename(registration.path),
    valid: {
      record: encodeField(encodeRegistration(registration)),
      time: timeOfContent(registration.contentHash),
    },
  }))
}

async function forget(fetching: Fetching, names: readonly string[]): Promise<void> {
  await adopt(
    fetching,
    names.map((name) => ({ name })),
  ).catch(() => {})
}

/** Has the machine register what it built. This is short, and not interrupted once it has begun. */
async function adopt({ machine, layout }: Fetching, records: readonly AdoptedPath[]): Promise<void> {
  if (records.length === 0) return
  const channel = await machine.run(adoptScript({ marker: newMarker(), places: layout, records }))
  const [said, errors] = [streamTail(channel.stdout), streamTail(channel.stderr)]
  channel.stdin.on('error', () => {})
  channel.stdin.end()
  const watch = watchChannel(channel, { address: machine.address, seconds: SLOW * machine.answerSeconds })
  await Promise.race([channel.exit, watch.silent]).finally(() => watch.stop())
  if (/^adopted$/m.test(await said())) return
  const printed = await errors()
  const account = refusedAccount(printed)
  const reason = printed
    .replace(/^davit:\S+$/m, '')
    .trim()
    .replaceAll('\n', '; ')
  throw new DavitError(
    'cannot-register',
    `cannot register what '${machine.address}' has built there: ${account?.message ?? reason}`,
    {
      exitStatus: ExitStatus.cannotCreate,
      hint: account?.remedy ?? 'check the permissions of its store directory and the space left there',
    },
  )
}
