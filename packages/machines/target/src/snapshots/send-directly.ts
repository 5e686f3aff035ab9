import type { Readable } from 'node:stream'

import { BOOTSTRAP_COMMAND, type Channel, type DirectSsh, PEER_NAME, scriptLine } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { directSenderScript, receiverScript } from '@davit/target-runtime'

import { whileWatched } from '../helper/channel-watch.ts'
import { complaintIn } from '../streams/complaint.ts'
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
  const source = await sourceOf(from, snapshot)
  // Only what davit has packed can be verified without a checksum of the stream.
  if (!source.files.includes('listing')) return 'it is a snapshot of Dysnomia'
  const receivers = await receiversFor([copy], source)
  const lacking = receivers.filter(({ missing }) => missing.length > 0)
  const { directory } = source
  try {
    await receive(receivers, source, () =>
      Promise.all(lacking.map((receiver) => stream(from, receiver, { directory, direct, signal }))),
    )
    return undefined
  } catch (error) {
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
    names: missingNames(receiver),
    peer,
    command: BOOTSTRAP_COMMAND,
    line,
  })
  const channel = await direct.runWithAgent(from.machine.address, script)
  const { address, answerSeconds: seconds } = from.machine
  const [answer, errors] = await whileWatched(channel, { address, seconds, signal }, ({ heard }) =>
    outputsOf(channel, heard),
  ).finally(() => channel.close())
  checkSent(answer, errors)
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
  throw new DavitError('transfer-failed', complaintIn(errors.replaceAll(/^(?:sent \d+|moving|ended \d+)\n?/gm, '')))
}
