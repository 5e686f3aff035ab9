import { setMaxListeners } from 'node:events'
import { constants } from 'node:os'
import { DavitError } from '@davit/diagnostics'

export type InterruptionSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'
export const INTERRUPTION_SIGNALS: readonly InterruptionSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Interruption by the user: the first signal asks the tool to stop, the second ends it. */
export interface Interruption {
  readonly signal: AbortSignal
  /** 128 + number of the first signal, once one was received. */
  readonly status: number | undefined
  /** Message for the user when the signal aborts; `whatHappens` is what the tool does then, unless it finishes what is running. */
  announcement(whatHappens?: string): string
  /** Registers a function that is called right before the process ends, to report that. */
  onStop(sayLastWord: () => void): void
  /** `status` is 128 + number of the signal, unless one without a handling of its own is treated as `name`. */
  receive(name: InterruptionSignal, status?: number): void
  /**
   * Passes signals to a receiver until the returned function is called. A signal just after that is ignored as a repetition.
   * `endsNext` says whether the receiver ends the process at the next one.
   */
  divert(receiver: SignalReceiver, endsNext?: () => boolean): () => void
  /**
   * Begins to hear signals: called before something begins that needs to be finished or undone. Until then, a signal has the effect
   * that the system gives it, and ends a tool that only reads and computes at once, whatever it computes.
   */
  hear(): void
  /** Whether the next signal ends the process. */
  readonly endsNext: boolean
  /** Makes an interruption for a step of this process, which receives only what is passed on to it; if it hears, so does this one. */
  ofStep(): Interruption
}

export type SignalReceiver = (name: InterruptionSignal, status: number) => void

export interface InterruptionEffects {
  /** Ends the process immediately. */
  stop(status: number): void
  /** Milliseconds. */
  now(): number
  /** Has signals passed to the interruption. */
  listen?(interruption: Interruption): void
}

/** Signals within this time count as one, since a terminal, `timeout` and a parent may each deliver the same one. */
const ONE_WISH_MILLISECONDS = 250

export function createInterruption({ stop, now, listen }: InterruptionEffects): Interruption {
  const controller = new AbortController()
  // The work on each target, service or build adds a listener; Node warns of a leak at eleven.
  setMaxListeners(0, controller.signal)
  let first: { readonly name: InterruptionSignal; readonly status: number; readonly at: number } | undefined
  const diversion = createDiversion(now)
  let sayLastWord = () => {}
  let isHeard = false
  const begin = (name: InterruptionSignal, status: number): void => {
    first = { name, status, at: now() }
    controller.abort(new DavitError('interrupted', `${VERB[name]} by ${name}`, { exitStatus: status }))
  }
  return {
    signal: controller.signal,
    get status() {
      return first?.status
    },
    hear() {
      if (!isHeard) listen?.(this)
      isHeard = true
    },
    get endsNext() {
      return diversion.receiver === undefined ? first !== undefined : diversion.receiver.endsNext()
    },
    announcement: (whatHappens) => announcementOf(first?.name ?? 'SIGTERM', whatHappens),
    onStop: (say) => void (sayLastWord = say),
    receive(name, status = 128 + constants.signals[name]) {
      if (diversion.receiver !== undefined) diversion.receiver.receive(name, status)
      else if (diversion.hasJustEnded) return
      else if (first === undefined) begin(name, status)
      else if (now() - first.at > ONE_WISH_MILLISECONDS) {
        sayLastWord()
        stop(status)
      }
    },
    divert: diversion.begin,
    ofStep() {
      return createInterruption({ stop, now, listen: () => this.hear() })
    },
  }
}

function createDiversion(now: () => number) {
  let receiver: { readonly receive: SignalReceiver; readonly endsNext: () => boolean } | undefined
  let endedAt = -Infinity
  return {
    get receiver() {
      return receiver
    },
    /** A signal now repeats one that was passed on. */
    get hasJustEnded() {
      return now() - endedAt <= ONE_WISH_MILLISECONDS
    },
    begin(receive: SignalReceiver, endsNext: () => boolean = () => false) {
      receiver = { receive, endsNext }
      return () => {
        receiver = undefined
        endedAt = now()
      }
    },
  }
}

function announcementOf(name: InterruptionSignal, whatHappens?: string): string {
  return `${VERB[name]}: ${whatHappens ?? `finishing what is running; ${AGAIN[name]} to stop now`}`
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
