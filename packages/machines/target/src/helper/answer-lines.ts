import type { Readable } from 'node:stream'

import { DavitError, ExitStatus } from '@davit/diagnostics'

/** What comes from a target is bounded: a line longer than this is not an answer of ours. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024

/** Calls `take` for each line of a stream; text without a newline at the end is dropped, as it was cut off. */
export function readLines(stream: Readable, take: (line: string) => void): void {
  let parts: string[] = []
  let length = 0
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    let start = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      parts.push(chunk.slice(start, end))
      take(parts.join(''))
      parts = []
      length = 0
      start = end + 1
    }
    if (start === chunk.length) return
    parts.push(chunk.slice(start))
    length += chunk.length - start
    if (length > MAX_LINE_CHARACTERS) {
      stream.destroy(
        new DavitError('bad-answer', 'a target sent a line without end', { exitStatus: ExitStatus.unreachable }),
      )
    }
  })
}

/** What a machine sent is not what an honest helper could have sent. */
export function badAnswer(address: string): DavitError {
  return new DavitError('bad-answer', `'${address}' sent an answer that davit does not understand`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'something on it answers in place of the shell of davit, or has changed what that keeps there',
  })
}

/** Text that a target sent in hexadecimal. */
export function fromHexadecimal(text: string | undefined): string {
  return Buffer.from(text ?? '', 'hex').toString('utf8')
}
