import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Channel } from '@davit/connection'
import { type NixOperation, nixScript, SLOW } from '@davit/target-runtime'

import { readLines } from '../helper/answer-lines.ts'
import { afterMarker, newMarker } from '../helper/after-marker.ts'
import { watchChannel } from '../helper/channel-watch.ts'
import { nixFailed } from './errors.ts'
import { streamTail } from '../helper/stream-tail.ts'

/** A place that runs scripts: a machine, possibly one that is still being opened. */
export interface ScriptPlace {
  readonly address: string
  /** See `Machine`. */
  readonly answerSeconds: number
  run(script: string): Promise<Channel>
}

/** A script that works with the Nix store of a machine (see `target-runtime/runtime/nix-channel.sh`). */
export interface NixChannel {
  readonly stdin: Writable
  /** Output of the script, without what the login shell printed before. */
  readonly stdout: Readable
  readonly exit: Promise<number>
  /** Resolves with the end of its standard error, once that is closed. */
  lastWords(): Promise<string>
  close(): void
}

export interface NixChannelOptions {
  /** Called with each line of standard error. */
  readonly takeLine?: (line: string) => void
}

/** Starts the script; resolves when it has found Nix. Rejects with a DavitError that names the machine if it does not. */
export async function openNixChannel(
  place: ScriptPlace,
  operation: NixOperation,
  { takeLine }: NixChannelOptions = {},
): Promise<NixChannel> {
  const marker = newMarker()
  const channel = await place.run(nixScript(operation, marker))
  const lastWords = streamTail(channel.stderr)
  if (takeLine !== undefined) readLines(channel.stderr, takeLine)
  const { filter, started } = afterMarker(marker)
  // Readers of the output receive its error.
  pipeline(channel.stdout, filter).catch(() => {})
  const watch = watchChannel(channel, { address: place.address, seconds: SLOW * place.answerSeconds })
  if (!(await Promise.race([started, watch.silent]).finally(() => watch.stop())))
    throw nixFailed(place.address, { status: await channel.exit, lastWords: await lastWords() })
  return { stdin: channel.stdin, stdout: filter, exit: channel.exit, lastWords, close: () => channel.close() }
}
