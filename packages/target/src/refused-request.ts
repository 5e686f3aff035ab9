import { DavitError } from '@davit/diagnostics'

import { fromHexadecimal } from './answer-lines.ts'

/** A refusal by the machine, with the lines that it sent before. */
export class RefusedRequest extends DavitError {
  readonly lines: readonly string[]

  constructor(code: string, message: string, lines: readonly string[]) {
    super(code, message)
    this.lines = lines
  }
}

/** What follows the sign of a refusal: its code, and the message in hexadecimal. */
export function refusalOf([code = '', message]: readonly string[], lines: readonly string[]): RefusedRequest {
  const known = /^[a-z][a-z-]{0,39}$/.test(code) && !CODES_OF_OURS.has(code) ? code : 'failed'
  const text = fromHexadecimal(message?.slice(0, 2 * MAX_MESSAGE_CHARACTERS)).trim()
  return new RefusedRequest(known, text || 'it was refused without a reason', lines)
}

const MAX_MESSAGE_CHARACTERS = 4_000
/** What a target has not to say: it would be taken for a failure of ours to reach it. */
const CODES_OF_OURS: ReadonlySet<string> = new Set(['connection-lost', 'bad-answer', 'no-answer'])
