import { DavitError, type ErrorCode, ExitStatus } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { REFUSALS } from '@davit/target-runtime'

import { fromHexadecimal } from './answer-lines.ts'
import { HOW_TO_MAKE_SPACE, tellsNoSpace } from './no-space.ts'

/** A request that the machine refused, with the lines that it sent before the refusal. */
export class RefusedRequest extends DavitError {
  readonly lines: readonly string[]
  /** The command that lets the account write there, if it may not. */
  readonly remedy: string | undefined

  constructor(code: ErrorCode, message: string, { lines, remedy }: Particulars) {
    super(code, message, code === 'cannot-create' ? notWritten(message, remedy) : {})
    this.lines = lines
    this.remedy = remedy
  }

  /** The message with the remedy, for places that show no hint. */
  get messageWithRemedy(): string {
    return this.remedy === undefined ? this.message : `${this.message}; ${this.remedy}`
  }
}

type Particulars = Pick<RefusedRequest, 'lines'> & Partial<Pick<RefusedRequest, 'remedy'>>

function notWritten(message: string, remedy: string | undefined) {
  const usual = tellsNoSpace(message) ? HOW_TO_MAKE_SPACE : 'check the permissions and the space left there'
  return { exitStatus: ExitStatus.cannotCreate, hint: remedy ?? usual }
}

export interface RefusedAccount {
  readonly message: string
  readonly remedy: string
}

const AS_ROOT = "'; as root there: "

/** Finds the complaint that an account may not write somewhere in the output of a script. */
export function refusedAccount(printed: string): RefusedAccount | undefined {
  for (const line of printed.split('\n')) {
    const end = line.lastIndexOf(AS_ROOT)
    const message = line.slice(0, end + 1)
    if (end >= 0 && message.startsWith("'") && message.includes("' may not write to '")) {
      return { message, remedy: line.slice(end + "'; ".length) }
    }
  }
  return undefined
}

/** Names the target in an error about a failed write. */
export function onTarget(target: TargetName, error: unknown): unknown {
  if (!(error instanceof RefusedRequest) || error.code !== 'cannot-create') return error
  return new RefusedRequest(error.code, `target '${target}': ${error.message}`, error)
}

/** Parses the words of a refusal: its code, and the message in hexadecimal. */
export function refusalOf([code = '', message]: readonly string[], lines: readonly string[]): RefusedRequest {
  return refusalFor(code, { said: fromHexadecimal(message?.slice(0, 2 * MAX_MESSAGE_CHARACTERS)).trim(), lines })
}

/** The refusal of a script with this code, which has said something. */
export function refusalFor(code: string, { said, lines }: { said: string; lines: readonly string[] }): RefusedRequest {
  const account = code === 'may-not-write' ? refusedAccount(said) : undefined
  if (account !== undefined) return new RefusedRequest('cannot-create', account.message, { lines, ...account })
  return new RefusedRequest(...codeAndText(code, said), { lines })
}

function codeAndText(said: string, text: string): [code: ErrorCode, text: string] {
  const code = REFUSALS.find((refusal) => refusal === said) ?? 'failed'
  const told = code === 'cannot-create' ? text.replace('\n', ': ').replaceAll('\n', '; ') : text
  return [code, told || 'the request was refused without a reason']
}

const MAX_MESSAGE_CHARACTERS = 4_000
