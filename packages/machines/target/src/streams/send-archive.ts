import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Channel } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { receiverScript, type TransferPlace } from '@davit/target-runtime'

import { whileWatched } from '../helper/channel-watch.ts'
import { tellsNoSpace } from '../helper/no-space.ts'
import { refusedAccount } from '../helper/refused-request.ts'
import type { Machine } from '../machine.ts'
import { checksumOf, type ChecksumUtility } from './checksum.ts'

/** A machine on which scripts can be run, whatever its helper is for. */
export type StreamEnd = Pick<Machine, 'address' | 'answerSeconds' | 'facts' | 'run'>

export interface ArchiveToSend {
  /** What the archive contains, for people. */
  readonly what: string
  readonly archive: Readable
  /** By default, what the machine has. */
  readonly checksum?: ChecksumUtility | undefined
  readonly signal: AbortSignal
}

/** Sends an archive, which the machine unpacks; throws unless everything arrived intact. */
export async function sendArchive(
  machine: StreamEnd,
  place: TransferPlace,
  { what, archive, checksum = machine.facts.checksum, signal }: ArchiveToSend,
): Promise<void> {
  const channel = await machine.run(receiverScript(place, checksum))
  const { stdin, stdout, stderr } = channel
  const { address, answerSeconds: seconds } = machine
  const owes = () => stdin.writableLength > 0 || stdin.writableEnded
  const sum = checksumOf(checksum)
  const counted = new PassThrough()
  const received = await whileWatched(channel, { address, seconds, owes, signal }, (watch) => {
    counted.on('data', (chunk: Buffer) => {
      watch.heard()
      sum.update(chunk)
    })
    return Promise.allSettled([
      pipeline(archive, counted, stdin).catch((error: unknown) => brokenStream(channel, error)),
      textOf(stdout),
      textOf(stderr),
    ])
  })
  signal.throwIfAborted()
  const [said, printed] = received.map(valueOf).slice(1)
  checkReceived(machine, { what, answer: said ?? '', errors: printed ?? '', expected: sum.digest() })
}

/** Returns the text of a result. The first failure is the cause of the others. */
function valueOf(result: PromiseSettledResult<string | void>): string {
  if (result.status === 'rejected') throw result.reason
  return result.value ?? ''
}

/** Throws an error of reading the archive; ignores a broken pipe, which the output of the machine explains better. */
async function brokenStream(channel: Channel, error: unknown): Promise<void> {
  const broken =
    error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
  if (!broken) {
    channel.close()
    throw error
  }
  await channel.exit
}

interface Received {
  readonly what: string
  readonly answer: string
  readonly errors: string
  readonly expected: string
}

function checkReceived(machine: StreamEnd, { what, answer, errors, expected }: Received): void {
  const isUnpacked = /^status 0$/m.test(answer)
  const sum = /^checksum ([0-9a-f]+|none)/m.exec(answer)?.[1]
  if (isUnpacked && sum === expected) return
  const isWhole = isUnpacked && sum !== undefined
  const { reason, hint } = isWhole ? { reason: 'what arrived differs from what was sent' } : failureIn(machine, errors)
  throw new DavitError(
    'import-failed',
    `cannot unpack ${what} on '${machine.address}': ${reason || 'the stream was cut off'}`,
    { exitStatus: ExitStatus.failed, ...(hint === undefined ? {} : { hint }) },
  )
}

function failureIn({ address }: StreamEnd, errors: string): { readonly reason: string; readonly hint?: string } {
  const account = refusedAccount(errors)
  if (account !== undefined) return { reason: account.message, hint: account.remedy }
  const hint = `free some space on '${address}', and run the same command again`
  return { reason: reasonIn(errors), ...(tellsNoSpace(errors) ? { hint } : {}) }
}

/** Picks the complaint of a full disk, if there is one: it is the cause of all others. */
function reasonIn(errors: string): string {
  const lines = errors.trim().split('\n')
  const full = lines.find(tellsNoSpace)
  if (full === undefined) return lines.slice(-3).join('; ')
  return /no space left|quota/i.test(full) ? full : `no space left there (${full})`
}

const MAX_TEXT = 64 * 1024

async function textOf(stream: Readable): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    if (text.length < MAX_TEXT) text += String(chunk)
  }
  return text
}
