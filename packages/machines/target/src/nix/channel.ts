import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Channel } from '@davit/connection'
import { type NixOperation, nixScript, SLOW } from '@davit/target-runtime'

import { readLines } from '../helper/answer-lines.ts'
import { afterMarker } from '../helper/after-marker.ts'
import { watchChannel } from '../helper/channel-watch.ts'
import { nixFailed } from './errors.ts'
import { streamTail } from '../helper/stream-tail.ts'

/** Where scripts run: a machine, or what is to become one. */
export interface ScriptPlace {
  readonly address: string
  /** See `Machine`. */
  readonly answerSeconds: number
  run(script: string): Promise<Channel>
}

/** A script of ours that works with the Nix store of a machine (see `target-runtime/runtime/nix-channel.sh`). */
export interface NixChannel {
  readonly stdin: Writable
  /** From where the script itself begins; what a login shell printed before is left out. */
  readonly stdout: Readable
  readonly exit: Promise<number>
  /** The end of what it said on standard error, once it says no more. */
  lastWords(): Promise<string>
  close(): void
}

export interface NixChannelOptions {
  /** Told each line of standard error. */
  readonly takeLine?: (line: string) => void
}

/** Resolves when the script has found Nix there; a DavitError that names the machine where it does not. */
export async function openNixChannel(
  place: ScriptPlace,
  operation: NixOperation,
  { takeLine }: NixChannelOptions = {},
): Promise<NixChannel> {
  const marker = `davit-${randomBytes(12).toString('hex')}`
  const channel = await place.run(nixScript(operation, marker))
  const lastWords = streamTail(channel.stderr)
  if (takeLine !== undefined) readLines(channel.stderr, takeLine)
  const { filter, started } = afterMarker(marker)
  // Who reads the output is told of its failure.
  pipeline(channel.stdout, filter).catch(() => {})
  const watch = watchChannel(channel, { address: place.address, seconds: SLOW * place.answerSeconds })
  if (!(await Promise.race([started, watch.silent]).finally(() => watch.stop())))
    throw nixFailed(place.address, { status: await channel.exit, lastWords: await lastWords() })
  return { stdin: channel.stdin, stdout: filter, exit: channel.exit, lastWords, close: () => channel.close() }
}
