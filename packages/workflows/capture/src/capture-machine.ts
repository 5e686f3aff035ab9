import type { Readable } from 'node:stream'

import { type Client, perform } from '@davit/client-interface'
import type { Connection } from '@davit/connection'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import { badAnswer } from '@davit/target'

import type { Captured } from './captured.ts'
import { parseCaptured } from './parse-captured.ts'

export interface CaptureOptions {
  /** How long the machine may take. */
  readonly seconds?: number | undefined
  readonly signal: AbortSignal
}

/** Asks a machine what it is, by one script on a channel of its own. */
export async function captureMachine(connection: Connection, options: CaptureOptions): Promise<Captured> {
  const { seconds = DEFAULT_SECONDS } = options
  const limit = AbortSignal.timeout(seconds * 1000)
  const client: Client = {
    connection,
    answerSeconds: seconds,
    signal: AbortSignal.any([options.signal, limit]),
    environment: {},
    print: async () => {},
    complain() {},
  }
  try {
    return await capture(client)
  } catch (error) {
    options.signal.throwIfAborted()
    throw limit.aborted ? tooSlow(connection.address, seconds) : error
  }
}

const DEFAULT_SECONDS = 120

async function capture(client: Client): Promise<Captured> {
  const { address } = client.connection
  const chunks: Buffer[] = []
  let size = 0
  const receive = async (stdout: Readable) => {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BYTES) throw badAnswer(address)
      chunks.push(chunk)
    }
  }
  const status = await perform(client, { operation: 'capture', receive })
  if (status !== 0) throw badAnswer(address)
  return parseCaptured(Buffer.concat(chunks).toString(), address)
}

/** Settings of machines have a few lines. */
const MAX_BYTES = 1_000_000

function tooSlow(address: string, seconds: number): DavitError {
  return new DavitError('no-answer', `'${address}' did not tell what it is within ${seconds} seconds`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'log in by hand, and look whether it hangs, or is only slow (DAVIT_ANSWER_TIMEOUT gives it more seconds), or has settings of Dysnomia whose values are commands that wait',
  })
}
