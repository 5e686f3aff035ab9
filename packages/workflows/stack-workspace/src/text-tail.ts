import type { Readable } from 'node:stream'

/** What programs say at their end is why they ended. */
const KEPT = 64 * 1024

/** Reads a stream to its end, and returns the last lines of it as text. Something may be done with each part as it comes. */
export async function textTail(stream: Readable, onPart: () => void = () => {}): Promise<string> {
  let tail = Buffer.alloc(0)
  let isCut = false
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    onPart()
    tail = Buffer.concat([tail, chunk])
    isCut ||= tail.length > KEPT
    tail = tail.subarray(-KEPT)
  }
  const text = tail.toString()
  return isCut ? text.slice(text.indexOf('\n') + 1) : text
}
