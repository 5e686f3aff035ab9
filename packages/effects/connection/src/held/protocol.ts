import type { Message } from '@davit/diagnostics'
import type { Environment } from '@davit/process'
import type { SshRequest } from '../hops.ts'
import {
  hasShape,
  isMessage,
  isNumber,
  isSshRequest,
  isText,
  isTexts,
  isTruth,
  optional,
  type Shapes,
} from './shapes.ts'
import { isWireError, type WireError } from './wire-error.ts'

/** Number of this protocol. Tools and holders of different numbers do not work together, so any change raises it. */
export const PROTOCOL = 2

/** First line of each unix connection, which says what it is for. */
export type Opening =
  /** Asks for links, on behalf of one pool of one tool. */
  | {
      readonly kind: 'session'
      readonly protocol: number
      readonly environment: Environment
      /** Where the tool works: settings may contain relative paths. */
      readonly directory: string
      readonly attempts?: number | undefined
    }
  /** Starts a script; the connection then carries its events. The tool closes it to close the channel. */
  | { readonly kind: 'run'; readonly channel: string; readonly link: number; readonly script: string }
  /** Carries what the script of that channel reads and prints, as it is. */
  | { readonly kind: 'data'; readonly channel: string }

export const OPENINGS: Shapes<Opening> = {
  session: { protocol: isNumber, environment: isTexts, directory: isText, attempts: optional(isNumber) },
  run: { channel: isText, link: isNumber, script: isText },
  data: { channel: isText },
}

/** What a tool asks for in a session. */
export type Request =
  | {
      readonly kind: 'connect'
      readonly id: number
      /** How it is reached. */
      readonly hops: SshRequest
      /** Whether the tool was connected to it before, so that it is tried even if it did not answer a moment ago. */
      readonly isReturning: boolean
    }
  | { readonly kind: 'ping' }

export const REQUESTS: Shapes<Request> = {
  connect: { id: isNumber, hops: isSshRequest, isReturning: isTruth },
  ping: {},
}

/** What a holder says in a session. */
export type Answer =
  | { readonly kind: 'welcome' | 'pong' }
  | { readonly kind: 'report'; readonly event: Message }
  | { readonly kind: 'connected'; readonly id: number; readonly link: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError }
  | { readonly kind: 'lost'; readonly link: number; readonly error: WireError }

export const ANSWERS: Shapes<Answer> = {
  welcome: {},
  pong: {},
  report: { event: isMessage },
  connected: { id: isNumber, link: isNumber },
  failed: { id: isNumber, error: isWireError },
  lost: { link: isNumber, error: isWireError },
}

const STREAMS = ['stdin', 'stdout', 'stderr'] as const
export type StreamName = (typeof STREAMS)[number]

/** What a holder says about a channel. */
export type ChannelEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'refused'; readonly error: WireError }
  | { readonly kind: 'stderr'; readonly bytes: string }
  | { readonly kind: 'ended'; readonly stream: StreamName; readonly error?: WireError | undefined }
  | { readonly kind: 'exit'; readonly status: number }
  | { readonly kind: 'no-exit'; readonly error: WireError }

export const CHANNEL_EVENTS: Shapes<ChannelEvent> = {
  started: {},
  refused: { error: isWireError },
  stderr: { bytes: isText },
  ended: { stream: (name) => STREAMS.some((one) => one === name), error: optional(isWireError) },
  exit: { status: isNumber },
  'no-exit': { error: isWireError },
}

/** Parses a line; returns nothing for anything that the table does not describe. */
export function parseLine<Value extends { readonly kind: string }>(
  line: string,
  shapes: Shapes<Value>,
): Value | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  return hasShape(value, shapes) ? value : undefined
}

export function encodeLine(message: Opening | Request | Answer | ChannelEvent): string {
  return `${JSON.stringify(message)}\n`
}
