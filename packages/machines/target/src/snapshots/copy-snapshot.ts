import { randomBytes } from 'node:crypto'
import { pipeline, Transform } from 'node:stream'

import { DavitError } from '@davit/diagnostics'
import { encodeField } from '@davit/target-runtime'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import { RefusedRequest } from '../helper/helper.ts'
import { receiveArchive } from '../streams/receive-archive.ts'
import { sendArchive } from '../streams/send-archive.ts'
import { type Component, factFields, type Snapshot, type SnapshotStore } from './snapshot-store.ts'

export interface SnapshotToCopy {
  readonly snapshot: Snapshot
  /** The component there, if it has another name. */
  readonly as?: Component
  readonly signal: AbortSignal
}

/**
 * Makes a snapshot the latest of its component in another store. Only files that this one lacks travel, as a stream; the other store
 * verifies them before the snapshot exists there. Returns the number of bytes that were sent.
 */
export async function copySnapshot(
  from: SnapshotStore,
  to: SnapshotStore,
  { snapshot, signal, as = snapshot }: SnapshotToCopy,
): Promise<number> {
  const whole = [as.container, as.component, snapshot.name] as const
  const { directory, files } = await filesOf(from, snapshot)
  const lacking = await to.machine.request('snapshot_missing', [to.place, ...whole, ...files])
  const transfer = `transfer.${randomBytes(12).toString('hex')}`
  const facts = factFields(snapshot.facts).map((word, index) => (index % 2 === 0 ? word : encodeField(word)))
  const missing = lacking.includes('whole') ? [] : files.filter((file) => lacking.includes(`missing ${file}`))
  try {
    const bytes = missing.length === 0 ? 0 : await stream(from, to, { directory, missing, transfer, signal })
    await to.machine.request('snapshot_commit', [to.place, transfer, ...whole, ...facts, 'files', ...files])
    return bytes
  } catch (error) {
    // If this fails, the next transfer cleans up.
    await to.machine.request('snapshot_discard', [to.place, transfer]).catch(() => {})
    if (error instanceof RefusedRequest && error.code === 'damaged-snapshot') await filesOf(from, snapshot, 'verify')
    throw error
  }
}

async function filesOf(
  { machine, place }: SnapshotStore,
  { container, component, name }: Snapshot,
  ...how: ['verify'?]
) {
  const verify = how.flatMap((word) => word ?? [])
  const lines = await machine.request('snapshot_files', [place, container, component, name, ...verify])
  const told = (fact: string) =>
    lines.filter((line) => line.startsWith(`${fact} `)).map((line) => line.slice(fact.length + 1))
  return { directory: fromHexadecimal(told('directory')[0]), files: told('file') }
}

interface Stream extends Pick<SnapshotToCopy, 'signal'> {
  readonly directory: string
  readonly missing: readonly string[]
  readonly transfer: string
}

async function stream(
  from: SnapshotStore,
  to: SnapshotStore,
  { directory, missing, transfer, signal }: Stream,
): Promise<number> {
  const incoming = `${to.machine.facts.stateDirectory}/${to.place}/dysnomia/incoming`
  const place = { incoming, name: transfer, owner: to.machine.facts.helper }
  const failed = (reason: string, cause?: Error) =>
    new DavitError('transfer-failed', `cannot fetch a snapshot from '${from.machine.address}': ${reason}`, {
      hint: 'run the same command again',
      ...(cause === undefined ? {} : { cause }),
    })
  let bytes = 0
  await receiveArchive(from.machine, { directory, names: missing, failed, signal }, async (archive) => {
    const counted = new Transform({
      transform(chunk: Buffer, _, done) {
        bytes += chunk.length
        done(null, chunk)
      },
    })
    // An error of the archive ends the sending, too.
    pipeline(archive, counted, () => {})
    await sendArchive(to.machine, place, { what: 'a snapshot', archive: counted, signal })
  })
  return bytes
}
