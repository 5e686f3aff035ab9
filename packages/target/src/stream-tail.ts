import { once } from 'node:events'
import type { Readable } from 'node:stream'

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
