import { setTimeout as delay } from 'node:timers/promises'

import { hasCode, type Report, type Trace } from '@davit/diagnostics'

import { say } from '../messages.ts'
import { ANSWER_SECONDS, SilentError } from './silence.ts'

export interface ReconnectTerms {
  /** How long to retry; see `silence.ts`. */
  readonly answerSeconds?: number | undefined
  readonly report?: Report | undefined
  readonly trace?: Trace | undefined
  /** Ends the waiting immediately. */
  readonly signal?: AbortSignal | undefined
}

/** How often a repeatable request is sent again when the connection breaks. */
export const MAX_LOSSES = 5

/** Whether a connection or helper was lost for another reason than silence, so that a new one may succeed. */
export function isBroken(error: unknown): boolean {
  return hasCode(error, 'connection-lost') && !(error instanceof SilentError)
}

/** Retries, with growing pauses, while the attempt fails only because the machine cannot be reached. */
export async function reconnect(address: string, attempt: () => Promise<void>, terms: ReconnectTerms): Promise<void> {
  const { answerSeconds = ANSWER_SECONDS, report = () => {}, signal } = terms
  const end = performance.now() + answerSeconds * 1000
  const left = () => Math.max(end - performance.now(), 0)
  const mayGoOn = (error: unknown) => mayPass(error) && left() > 0
  for (let failures = 0; ; failures += 1) {
    const failure = await failureOf(attempt)
    if (failure === undefined) {
      if (failures > 0) report(say('reconnected', { address }))
      return
    }
    if (!mayGoOn(failure.error)) throw failure.error
    if (failures === 0) report(say('reconnecting', { address, seconds: answerSeconds }))
    await delay(Math.min(pauseAfter(failures), left()), undefined, { signal }).catch(() => {
      throw failure.error
    })
  }
}

async function failureOf(attempt: () => Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    return { error }
  }
}

/** Whether a retry may succeed; an attempt refused because of a key, an account or a setting would only be refused again. */
export function mayPass(error: unknown): boolean {
  return isBroken(error) || hasCode(error, 'unreachable')
}

const FIRST_PAUSE_MILLISECONDS = 200
const LONGEST_PAUSE_MILLISECONDS = 5_000

/** Pause with jitter, so that many connections that were lost together are not restored together. */
function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** failures, LONGEST_PAUSE_MILLISECONDS) * (0.5 + Math.random() / 2)
}
