import type { Duplex } from 'node:stream'

/**
 * Makes all that is written to a stream at a time leave it at once, and returns the stream. ssh2 writes a packet in three parts, and
 * with TCP_NODELAY each of them would be a system call and a segment of its own.
 */
export function gatherWrites<Stream extends Duplex>(stream: Stream): Stream {
  const write = stream.write.bind(stream)
  let isGathering = false
  const release = (): void => {
    isGathering = false
    stream.uncork()
  }
  const gathering = (...parameters: Parameters<typeof write>): boolean => {
    if (!isGathering) {
      isGathering = true
      stream.cork()
      queueMicrotask(release)
    }
    return write(...parameters)
  }
  stream.write = gathering as typeof stream.write
  return stream
}
