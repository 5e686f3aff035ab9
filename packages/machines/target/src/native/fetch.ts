import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { pipeline, type Readable, Transform } from 'node:stream'

import type { Channel } from '@davit/connection'
import { DavitError, ExitStatus, printable } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { encodeRegistration, type NativeStore, type Registration, type StoreLayout, storeLayout } from '@davit/store'
import { adoptScript, encodeField, senderScript, SLOW } from '@davit/target-runtime'

import { afterMarker } from '../helper/after-marker.ts'
import { type ChannelWatch, watchChannel } from '../helper/channel-watch.ts'
import { checksumOf } from './checksum.ts'
import type { Machine } from '../machine.ts'
import type { NativeBuildPlace } from './build.ts'
import { missingNames } from './import.ts'
import { refusedAccount } from '../helper/refused-request.ts'
import { streamTail } from '../helper/stream-tail.ts'
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
  const valid = await fetchFrom(fetching, layout.directory, part(false))
  const built = await fetchFrom(fetching, `${layout.incoming}/built.${machine.facts.bootId}/paths`, part(true))
  await adopt(fetching, recordsOf(built))
  const all = [...valid, ...built]
  return { paths: all.length, bytes: all.reduce((sum, { size }) => sum + size, 0) }
}

async function fetchFrom(fetching: Fetching, directory: string, wanted: Wanted): Promise<readonly Registration[]> {
  if (wanted.size === 0) return []
  const { machine, store, signal } = fetching
  const marker = newMarker()
  const names = [...wanted.keys()].map((path) => basename(path))
  const { checksum } = machine.facts
  const channel = await machine.run(senderScript({ marker, directory, checksum, names }))
  // While data that has arrived is not read here, the machine is not silent.
  const owes = () => channel.stdout.readableLength === 0
  const watch = watchChannel(channel, { address: machine.address, seconds: machine.answerSeconds, owes })
  const stop = () => channel.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    const archive = verifiedArchive(machine, { channel, watch, marker })
    const adding = store.addOutputs({ derivations: [...wanted.values()], archive, signal })
    return await Promise.race([adding, watch.silent])
  } catch (error) {
    signal.throwIfAborted()
    // The same archive would be as bad the next time.
    if (error instanceof DavitError && error.code === 'bad-archive') await forget(fetching, names)
    throw error
  } finally {
    watch.stop()
    signal.removeEventListener('abort', stop)
    channel.close()
  }
}

interface SentArchive {
  readonly channel: Channel
  readonly watch: ChannelWatch
  readonly marker: string
}

/** Returns the archive that a script sends; it fails at its end unless everything arrived intact. */
function verifiedArchive(machine: Machine<'carry'>, { channel, watch, marker }: SentArchive): Readable {
  const lastWords = streamTail(channel.stderr)
  const { filter, started } = afterMarker(marker)
  started.catch(() => {})
  const sum = checksumOf(machine.facts.checksum)
  const verification = new Transform({
    transform(chunk: Buffer, _, done) {
      watch.heard()
      sum.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      lastWords().then((said) => done(problemOf(machine, { said, expected: sum.digest() })), done)
    },
    destroy(error, done) {
      done(
        error === null || error instanceof DavitError ? error : fetchFailed(machine, 'the stream was cut off', error),
      )
    },
  })
  return pipeline(channel.stdout, filter, verification, () => {})
}

interface ArrivedArchive {
  /** Standard error of the script at the end of the archive. */
  readonly said: string
  /** Checksum of the data that arrived. */
  readonly expected: string
}

function problemOf(machine: Machine<'carry'>, { said, expected }: ArrivedArchive): DavitError | null {
  const status = /^sent (\d+)$/m.exec(said)?.[1]
  const sum = /^checksum ([0-9a-f]+)/m.exec(said)?.[1]
  if (status === '0' && sum === expected) return null
  if (status === '0') return fetchFailed(machine, 'what arrived differs from what was sent')
  const errors = said.replaceAll(/^(?:sent|checksum) .*$/gm, '').trim()
  return fetchFailed(machine, printable(errors.split('\n').slice(-3).join('; ')) || 'the stream was cut off')
}

function fetchFailed({ address }: Machine<'carry'>, reason: string, cause?: Error): DavitError {
  return new DavitError('fetch-failed', `cannot fetch what '${address}' has built: ${reason}`, {
    hint: 'run the same command again: what is still there is not built again',
    ...(cause === undefined ? {} : { cause }),
  })
}

type AdoptedRecord = readonly [name: string, record: string | undefined]

function recordsOf(registrations: readonly Registration[]): readonly AdoptedRecord[] {
  return registrations.map((registration) => [
    basename(registration.path),
    encodeField(encodeRegistration(registration)),
  ])
}

async function forget(fetching: Fetching, names: readonly string[]): Promise<void> {
  await adopt(
    fetching,
    names.map((name) => [name, undefined]),
  ).catch(() => {})
}

/** Has the machine register what it built. This is short, and not interrupted once it has begun. */
async function adopt({ machine, layout }: Fetching, records: readonly AdoptedRecord[]): Promise<void> {
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

function newMarker(): string {
  return `davit-${randomBytes(12).toString('hex')}`
}
