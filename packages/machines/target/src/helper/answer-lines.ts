import type { Readable } from 'node:stream'

import { DavitError, ExitStatus } from '@davit/diagnostics'

/** Limit of what is read from a target: no answer of a helper has a longer line. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024
/** Limit of lines that answer no request, such as complaints of utilities on standard error. */
export const MAX_STRAY_LINES = 10_000

/** Calls `take` for each line of a stream; a last line without a newline was cut off, and is dropped. */
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
        new DavitError('bad-answer', 'a target sent a line that is too long', { exitStatus: ExitStatus.unreachable }),
      )
    }
  })
}

/** The error for an answer that no intact helper could have sent. */
export function badAnswer(address: string): DavitError {
  return new DavitError('bad-answer', `'${address}' sent an answer that davit does not understand`, {
    exitStatus: ExitStatus.unreachable,
    hint: "another program answers there in place of davit's shell, or has changed the files that davit keeps there",
  })
}

/** Decodes text that a target sent in hexadecimal. */
export function fromHexadecimal(text: string | undefined): string {
  return Buffer.from(text ?? '', 'hex').toString('utf8')
}

/** Size of an answer, without the words that frame its lines. */
export function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0)
}
