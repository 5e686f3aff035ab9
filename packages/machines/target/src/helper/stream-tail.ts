import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'

const TAIL_CHARACTERS = 16 * 1024
const PATIENCE_MILLISECONDS = 2000

/** Collects the end of a stream of text. Waits for it only briefly, since a background process of a script may keep it open. */
export function streamTail(stream: Readable): () => Promise<string> {
  let tail = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    tail = `${tail}${chunk}`.slice(-TAIL_CHARACTERS)
  })
  const ended = once(stream, 'close').catch(() => {})
  return async () => {
    await Promise.race([ended, once(AbortSignal.timeout(PATIENCE_MILLISECONDS), 'abort')])
    return tail
  }
}

/** Waits briefly for the end of an output whose program has ended; a background process may keep it open. */
export async function endOfOutput(output: Readable): Promise<void> {
  await finished(output, { signal: AbortSignal.timeout(500) }).catch(() => {})
}
