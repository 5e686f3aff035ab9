import type { Readable } from 'node:stream'

import { BOOTSTRAP_COMMAND, type Channel, type DirectSsh, PEER_NAME, scriptLine } from '@davit/connection'
import { DavitError, printable } from '@davit/diagnostics'
import { directSenderScript, receiverScript } from '@davit/target-runtime'

import { watchChannel } from '../helper/channel-watch.ts'
import {
  commit,
  discard,
  filesOf,
  incomingPlace,
  type Receiver,
  receiverFor,
  type SnapshotCopy,
} from './snapshot-receiver.ts'
import type { Snapshot, SnapshotStore } from './snapshot-store.ts'

export interface SnapshotToSend {
  readonly snapshot: Snapshot
  readonly direct: DirectSsh
  readonly signal: AbortSignal
}

/**
 * Makes a snapshot the latest of its component in the store of another machine, to which the first one sends what is missing by itself.
 * Returns why that was not possible; undefined if it has succeeded. The receiver verifies everything before the snapshot exists there.
 */
export async function sendDirectly(
  from: SnapshotStore,
  copy: SnapshotCopy,
  { snapshot, direct, signal }: SnapshotToSend,
): Promise<string | undefined> {
  const source = await filesOf(from, snapshot)
  // Only what davit has packed can be verified without a checksum of the stream.
  if (!source.files.includes('listing')) return 'it is a snapshot of Dysnomia'
  const receiver = await receiverFor(copy, { snapshot, files: source.files })
  try {
    if (receiver.missing.length > 0) await stream(from, receiver, { directory: source.directory, direct, signal })
    await commit(receiver, { snapshot, files: source.files })
    return undefined
  } catch (error) {
    await discard(receiver)
    signal.throwIfAborted()
    if (!(error instanceof DavitError)) throw error
    // Whatever it is: if it is in the way of the detour too, that tells.
    return error.message
  }
}

interface Streaming extends Pick<SnapshotToSend, 'direct' | 'signal'> {
  readonly directory: string
}

async function stream(
  from: SnapshotStore,
  receiver: Receiver,
  { directory, direct, signal }: Streaming,
): Promise<void> {
  const { machine } = receiver.store
  const peer = { ...(await direct.peerAt(machine.address)), alias: PEER_NAME }
  const line = scriptLine(receiverScript(incomingPlace(receiver), 'none'))
    .toString('latin1')
    .trimEnd()
  const script = directSenderScript({
    directory,
    names: receiver.missing.map((file) => `./${file}`),
    peer,
    command: BOOTSTRAP_COMMAND,
    line,
  })
  const channel = await direct.runWithAgent(from.machine.address, script)
  const stop = () => channel.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const watch = watchChannel(channel, { address: from.machine.address, seconds: from.machine.answerSeconds })
  try {
    const [answer, errors] = await Promise.race([outputsOf(channel, watch.heard), watch.silent])
    checkSent(answer, errors)
  } finally {
    watch.stop()
    signal.removeEventListener('abort', stop)
    channel.close()
  }
}

const MAX_TEXT = 64 * 1024

async function outputsOf({ stdout, stderr }: Channel, heard: () => void): Promise<readonly [string, string]> {
  const textOf = async (stream: Readable) => {
    let text = ''
    for await (const chunk of stream) {
      heard()
      text = `${text}${String(chunk)}`.slice(-MAX_TEXT)
    }
    return text
  }
  return Promise.all([textOf(stdout), textOf(stderr)])
}

function checkSent(answer: string, errors: string): void {
  if (/^status 0$/m.test(answer) && /^sent 0$/m.test(errors)) return
  const said = errors.replaceAll(/^(?:sent \d+|moving|ended \d+)\n?/gm, '').trim()
  throw new DavitError('transfer-failed', printable(said.split('\n').slice(-3).join('; ')) || 'the stream was cut off')
}
