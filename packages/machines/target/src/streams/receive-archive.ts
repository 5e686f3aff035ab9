import { pipeline, type Readable, Transform } from 'node:stream'

import type { Channel } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import { senderScript } from '@davit/target-runtime'

import { afterMarker, newMarker } from '../helper/after-marker.ts'
import { whileWatched } from '../helper/channel-watch.ts'
import type { SilenceWatch } from '../helper/silence.ts'
import { streamTail } from '../helper/stream-tail.ts'
import { checksumOf, type ChecksumUtility } from './checksum.ts'
import { complaintIn } from './complaint.ts'
import type { StreamEnd } from './send-archive.ts'

export interface ReceivedArchive {
  readonly directory: string
  /** Names in the directory of what is to be sent, with all that is below. */
  readonly names: readonly string[]
  /** By default, what the machine has. */
  readonly checksum?: ChecksumUtility | undefined
  /** Makes the error for an archive that did not arrive intact. */
  readonly failed: (reason: string, cause?: Error) => DavitError
  readonly signal: AbortSignal
}

/** Has a machine send an archive, and uses it; it fails at its end unless everything arrived intact. */
export async function receiveArchive<Result>(
  machine: StreamEnd,
  { directory, names, checksum = machine.facts.checksum, failed, signal }: ReceivedArchive,
  use: (archive: Readable) => Promise<Result>,
): Promise<Result> {
  const marker = newMarker()
  const channel = await machine.run(senderScript({ marker, directory, checksum, names }))
  // While data that has arrived is not read here, the machine is not silent.
  const owes = () => channel.stdout.readableLength === 0
  const { address, answerSeconds: seconds } = machine
  return whileWatched(channel, { address, seconds, owes, signal }, (watch) =>
    use(verifiedArchive({ channel, watch, marker, failed, checksum })),
  ).finally(() => channel.close())
}

interface SentArchive {
  readonly channel: Channel
  readonly watch: SilenceWatch
  readonly marker: string
  readonly failed: ReceivedArchive['failed']
  readonly checksum: ChecksumUtility
}

/** Returns the archive that a script sends; it fails at its end unless everything arrived intact. */
function verifiedArchive({ channel, watch, marker, failed, checksum }: SentArchive): Readable {
  const lastWords = streamTail(channel.stderr)
  const { filter, started } = afterMarker(marker)
  started.catch(() => {})
  const sum = checksumOf(checksum)
  const verification = new Transform({
    transform(chunk: Buffer, _, done) {
      watch.heard()
      sum.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      lastWords().then((said) => done(problemOf(failed, { said, expected: sum.digest() })), done)
    },
    destroy(error, done) {
      done(error === null || error instanceof DavitError ? error : failed('the stream was cut off', error))
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

function problemOf(failed: ReceivedArchive['failed'], { said, expected }: ArrivedArchive): DavitError | null {
  const status = /^sent (\d+)$/m.exec(said)?.[1]
  const sum = /^checksum ([0-9a-f]+|none)/m.exec(said)?.[1]
  if (status === '0' && sum === expected) return null
  if (status === '0') return failed('what arrived differs from what was sent')
  return failed(complaintIn(said.replaceAll(/^(?:sent|checksum) .*$/gm, '')))
}
