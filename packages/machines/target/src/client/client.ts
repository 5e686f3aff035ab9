import type { Readable } from 'node:stream'

import type { Channel, ClientExecutable } from '@davit/connection'
import { executableScript, SLOW } from '@davit/target-runtime'

import { whileWatched } from '../helper/channel-watch.ts'
import { SilentError } from '../helper/silence.ts'
import { endOfOutput, streamTail } from '../helper/stream-tail.ts'
import type { ScriptPlace } from '../nix/channel.ts'
import { clientEnded, clientFloods, clientLate } from './client-errors.ts'

/** Operations of the client protocol of Disnix that davit itself calls; those on services are called by the program that stands for modules. */
export type ClientOperation =
  | 'clean-snapshots'
  | 'collect-garbage'
  | 'export'
  | 'import'
  | 'lock'
  | 'print-invalid'
  | 'query-installed'
  | 'query-requisites'
  | 'realise'
  | 'set'
  | 'unlock'

/** The client executable through which a machine is reached. */
export interface Client extends ClientExecutable {
  /**
   * Calls the executable, and resolves with the lines that it prints. Ends it, with its processes, when the signal comes or its
   * time is over. Rejects with `client-failed` if it does not succeed.
   */
  call(operation: ClientOperation, words: readonly string[], options?: ClientCallOptions): Promise<readonly string[]>
}

export interface ClientCallOptions {
  readonly signal?: AbortSignal | undefined
  /** How long it may take; by default as long as a slow operation of a helper. `unlimited` is for what may build. */
  readonly seconds?: number | 'unlimited'
}

export interface ClientCall extends ClientExecutable {
  readonly operation: ClientOperation
}

export function clientOf(place: ScriptPlace, { executable, address }: ClientExecutable): Client {
  return {
    executable,
    address,
    async call(operation, words, { signal = NEVER, seconds = SLOW * place.answerSeconds } = {}) {
      const call: ClientCall = { executable, address, operation }
      signal.throwIfAborted()
      const channel = await place.run(executableScript([executable, `--${operation}`, '--target', address, ...words]))
      const limit = seconds === 'unlimited' ? { seconds: MINUTE, owes: () => false } : { seconds }
      try {
        return await whileWatched(channel, { address, signal, ...limit }, () => outputOf(channel, call))
      } catch (error) {
        throw error instanceof SilentError ? clientLate(call, limit.seconds) : error
      } finally {
        channel.close()
      }
    },
  }
}

const NEVER = new AbortController().signal
const MINUTE = 60

async function outputOf(channel: Channel, call: ClientCall): Promise<readonly string[]> {
  const lastWords = streamTail(channel.stderr)
  const output = textOf(channel.stdout, call)
  const status = await Promise.race([channel.exit, output.tooLong])
  await endOfOutput(channel.stdout)
  if (status !== 0) throw clientEnded(call, { status, lastWords: await lastWords() })
  return output.lines()
}

/** No answer of a helper has longer lines. */
const MAX_CHARACTERS = 16 * 1024 * 1024

function textOf(stream: Readable, call: ClientCall) {
  let text = ''
  let refuse: (error: unknown) => void = () => {}
  const tooLong = new Promise<never>((_, reject) => {
    refuse = reject
  })
  tooLong.catch(() => {})
  stream.setEncoding('utf8')
  stream.on('error', () => {})
  stream.on('data', (chunk: string) => {
    text += chunk
    if (text.length <= MAX_CHARACTERS) return
    stream.destroy()
    refuse(clientFloods(call))
  })
  return { tooLong, lines: () => text.split('\n').filter((line) => line !== '') }
}
