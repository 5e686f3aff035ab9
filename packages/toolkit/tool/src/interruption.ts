import { setMaxListeners } from 'node:events'
import { constants } from 'node:os'
import { DavitError } from '@davit/diagnostics'

export type InterruptionSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'
export const INTERRUPTION_SIGNALS: readonly InterruptionSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** What a user who wants to stop sets in motion: the first signal asks, the second ends. */
export interface Interruption {
  readonly signal: AbortSignal
  /** 128 + number of the first signal, once there was one. */
  readonly status: number | undefined
  /** What to tell the user when the signal aborts. */
  announcement(): string
  /** Called when it has to end at once: the last chance to say something. */
  onStop(sayLastWord: () => void): void
  receive(name: InterruptionSignal): void
  /** Signals go elsewhere until the returned function is called; what comes just after that has done there what it should. */
  divert(receiver: (name: InterruptionSignal) => void): () => void
}

export interface InterruptionEffects {
  /** Ends the process at once; the last word has been said. */
  stop(status: number): void
  /** Milliseconds. */
  now(): number
}

/** A terminal, `timeout` and a parent that passes signals on may each deliver what is one wish. */
const ONE_WISH_MILLISECONDS = 250

export function createInterruption({ stop, now }: InterruptionEffects): Interruption {
  const controller = new AbortController()
  // Whatever is done for each target, service or build listens; Node warns of a leak at eleven.
  setMaxListeners(0, controller.signal)
  let first: { readonly name: InterruptionSignal; readonly status: number; readonly at: number } | undefined
  let receiver: ((name: InterruptionSignal) => void) | undefined
  let restoredAt = -Infinity
  let sayLastWord = () => {}
  const begin = (name: InterruptionSignal, status: number): void => {
    first = { name, status, at: now() }
    controller.abort(new DavitError('interrupted', `${VERB[name]} by ${name}`, { exitStatus: status }))
  }
  return {
    signal: controller.signal,
    get status() {
      return first?.status
    },
    announcement: () => announcementOf(first?.name ?? 'SIGTERM'),
    onStop(say) {
      sayLastWord = say
    },
    receive(name) {
      const status = 128 + constants.signals[name]
      if (receiver !== undefined) receiver(name)
      else if (now() - restoredAt <= ONE_WISH_MILLISECONDS) return
      else if (first === undefined) begin(name, status)
      else if (now() - first.at > ONE_WISH_MILLISECONDS) {
        sayLastWord()
        stop(status)
      }
    },
    divert(to) {
      receiver = to
      return () => {
        receiver = undefined
        restoredAt = now()
      }
    },
  }
}

function announcementOf(name: InterruptionSignal): string {
  return `${VERB[name]}: finishing what runs; ${AGAIN[name]} to stop now`
}

const VERB = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'hung up' } satisfies Record<
  InterruptionSignal,
  string
>

const AGAIN = {
  SIGINT: 'press Ctrl-C again',
  SIGTERM: 'send the signal again',
  SIGHUP: 'send the signal again',
} satisfies Record<InterruptionSignal, string>
