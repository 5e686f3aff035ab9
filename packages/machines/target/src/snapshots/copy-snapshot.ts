import { PassThrough, type Readable, Transform } from 'node:stream'

import { DavitError } from '@davit/diagnostics'

import { RefusedRequest } from '../helper/helper.ts'
import { receiveArchive } from '../streams/receive-archive.ts'
import { type ArchiveToSend, sendArchive } from '../streams/send-archive.ts'
import {
  incomingPlace,
  missingNames,
  receive,
  type Receiver,
  receiversFor,
  type SnapshotCopy,
  sourceOf,
} from './snapshot-receiver.ts'
import type { Snapshot, SnapshotStore } from './snapshot-store.ts'

export interface SnapshotToCopy {
  readonly snapshot: Snapshot
  readonly signal: AbortSignal
}

/**
 * Makes a snapshot the latest of its component in other stores. Only files that these lack travel, as a stream; each store verifies them
 * before the snapshot exists there. Returns the number of bytes that left the first store.
 */
export async function copySnapshot(
  from: SnapshotStore,
  copies: readonly SnapshotCopy[],
  { snapshot, signal }: SnapshotToCopy,
): Promise<number> {
  const source = await sourceOf(from, snapshot)
  const receivers = await receiversFor(copies, source)
  try {
    const { directory } = source
    return await receive(receivers, source, () => streamAll(from, receivers, { directory, signal }))
  } catch (error) {
    if (error instanceof RefusedRequest && error.code === 'damaged-snapshot') await sourceOf(from, snapshot, 'verify')
    throw error
  }
}

interface Streaming {
  readonly directory: string
  readonly signal: AbortSignal
}

/** Sends what is missing; a single stream serves all receivers that lack the same. */
async function streamAll(from: SnapshotStore, receivers: readonly Receiver[], streaming: Streaming): Promise<number> {
  const groups = new Map<string, readonly [Receiver, ...Receiver[]]>()
  for (const receiver of receivers) {
    if (receiver.missing.length === 0) continue
    const wanted = receiver.missing.join(' ')
    const group = groups.get(wanted)
    groups.set(wanted, group === undefined ? [receiver] : [...group, receiver])
  }
  const sent = await Promise.all([...groups.values()].map((group) => stream(from, group, streaming)))
  return sent.reduce((sum, bytes) => sum + bytes, 0)
}

async function stream(
  from: SnapshotStore,
  group: readonly [Receiver, ...Receiver[]],
  { directory, signal }: Streaming,
): Promise<number> {
  const failed = (reason: string, cause?: Error) =>
    new DavitError('transfer-failed', `cannot fetch a snapshot from '${from.machine.address}': ${reason}`, {
      hint: 'run the same command again',
      ...(cause === undefined ? {} : { cause }),
    })
  const [first] = group
  const names = missingNames(first)
  // The receivers verify each file of a snapshot that davit has made.
  const checksum = first.missing.includes('listing') ? 'none' : undefined
  let bytes = 0
  await receiveArchive(from.machine, { directory, names, checksum, failed, signal }, async (archive) => {
    const branches = branchesOf(archive, group.length, (chunk) => (bytes += chunk.length))
    await Promise.all(
      group.map((receiver, index) =>
        send(receiver, { what: 'a snapshot', archive: branches[index] as Readable, checksum, signal }),
      ),
    )
  })
  return bytes
}

function send(receiver: Receiver, archive: ArchiveToSend) {
  return sendArchive(receiver.store.machine, incomingPlace(receiver), archive)
}

/** Copies a stream to several, at the speed of the slowest; an error of one ends all. */
function branchesOf(archive: Readable, count: number, onChunk: (chunk: Buffer) => void): readonly Readable[] {
  const branches = Array.from({ length: count }, () => new PassThrough())
  const counter = new Transform({
    transform(chunk: Buffer, _, done) {
      onChunk(chunk)
      done(null, chunk)
    },
  })
  const streams = [archive, counter, ...branches]
  const fail = (error: Error) => {
    for (const one of streams) one.destroy(error)
  }
  for (const one of streams) one.on('error', fail)
  archive.pipe(counter)
  for (const branch of branches) counter.pipe(branch)
  return branches
}
