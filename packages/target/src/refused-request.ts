import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'

import { fromHexadecimal } from './answer-lines.ts'
import { HOW_TO_MAKE_SPACE, tellsNoSpace } from './no-space.ts'

/** A refusal by the machine, with the lines that it sent before. */
export class RefusedRequest extends DavitError {
  readonly lines: readonly string[]

  constructor(code: string, message: string, lines: readonly string[]) {
    super(code, message, code === 'cannot-create' ? notWritten(message) : {})
    this.lines = lines
  }
}

function notWritten(message: string) {
  const hint = tellsNoSpace(message) ? HOW_TO_MAKE_SPACE : 'check the permissions and the space left there'
  return { exitStatus: ExitStatus.cannotCreate, hint }
}

/** What could not be written is said with the target on which it could not. */
export function onTarget(target: TargetName, error: unknown): unknown {
  if (!(error instanceof RefusedRequest) || error.code !== 'cannot-create') return error
  return new RefusedRequest(error.code, `target '${target}': ${error.message}`, error.lines)
}

/** What follows the sign of a refusal: its code, and the message in hexadecimal. */
export function refusalOf([code = '', message]: readonly string[], lines: readonly string[]): RefusedRequest {
  const known = /^[a-z][a-z-]{0,39}$/.test(code) && !CODES_OF_OURS.has(code) ? code : 'failed'
  const said = fromHexadecimal(message?.slice(0, 2 * MAX_MESSAGE_CHARACTERS)).trim()
  const text = known === 'cannot-create' ? said.replace('\n', ': ').replaceAll('\n', '; ') : said
  return new RefusedRequest(known, text || 'it was refused without a reason', lines)
}

const MAX_MESSAGE_CHARACTERS = 4_000
/** What a target has not to say: it would be taken for a failure of ours to reach it. */
const CODES_OF_OURS: ReadonlySet<string> = new Set(['connection-lost', 'bad-answer', 'no-answer'])
