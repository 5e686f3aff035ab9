import { StringDecoder } from 'node:string_decoder'

import { printable } from '@davit/diagnostics'

export interface LinePrinter {
  take(content: Uint8Array | string): Promise<void>
  /** Prints the last line, which has no end. */
  end(): Promise<void>
}

/** A longer line is printed in parts, as it may never end. */
const MAX_CHARACTERS = 65_536

/** Prints what comes in parts line by line, without control characters and secrets. */
export function linePrinter(
  printLine: (line: string) => Promise<void>,
  { redact }: { redact(text: string): string },
): LinePrinter {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const show = (line: string) => printLine(printable(redact(line.replace(/\r$/, ''))))
  return {
    async take(content) {
      const lines = `${rest}${typeof content === 'string' ? content : decoder.write(Buffer.from(content))}`.split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MAX_CHARACTERS) lines.push(rest)
      if (rest.length > MAX_CHARACTERS) rest = ''
      // In order.
      // oxlint-disable-next-line no-await-in-loop
      for (const line of lines) await show(line)
    },
    async end() {
      const last = `${rest}${decoder.end()}`
      rest = ''
      if (last !== '') await show(last)
    },
  }
}
