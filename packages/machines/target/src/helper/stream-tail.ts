import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'

const TAIL_CHARACTERS = 16 * 1024
const PATIENCE_MILLISECONDS = 2000

/** Reads a stream of text to its end, for its last words; what a script has left in the background may keep it from ending. */
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

/** Of an output whose program has ended; something that it left in the background may hold it open. */
export async function endOfOutput(output: Readable): Promise<void> {
  await finished(output, { signal: AbortSignal.timeout(500) }).catch(() => {})
}
