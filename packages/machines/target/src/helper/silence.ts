import { DavitError, ExitStatus } from '@davit/diagnostics'

/** By default, how long an answer may be due before a silent machine counts as lost. */
export const ANSWER_SECONDS = 120

export interface SilenceWatch {
  /** Call this when something was heard, or has become due. */
  heard(): void
  /** Call this when all of something was heard. */
  settled(): void
  stop(): void
}

export interface Watched {
  /** Seconds of silence that are allowed at the moment; undefined if nothing is due. */
  patience(): number | undefined
  /** Seconds that something may take as a whole, however often something is heard meanwhile; by default any time. */
  longest?(): number | undefined
  /** Called from time to time during a long silence, to request something that is then due. */
  askForLife?(): void
  /** Called once, with the seconds of silence, or of the whole. */
  onSilence(seconds: number, what: 'silent' | 'endless'): void
}

/** Counts silence in parts, so that a coordinator that was itself stopped for hours counts only one of them. */
export function watchSilence({ patience, longest, askForLife, onSilence }: Watched): SilenceWatch {
  let timer: NodeJS.Timeout | undefined
  let silentParts = 0
  let secondsInAll = 0
  let isOver = false
  const arm = (seconds: number | undefined) => {
    timer = seconds === undefined || isOver ? undefined : setTimeout(count, (seconds * 1000) / PARTS)
  }
  const count = () => {
    askForLife?.()
    const seconds = patience()
    if (seconds === undefined) return arm(undefined)
    silentParts += 1
    secondsInAll += seconds / PARTS
    const over = whatIsOver(seconds)
    if (over === undefined) return arm(seconds)
    isOver = true
    onSilence(over.seconds, over.what)
  }
  // The first part may have begun before something was heard.
  const whatIsOver = (seconds: number) => {
    const whole = longest?.() ?? Infinity
    if (silentParts > PARTS) return { seconds, what: 'silent' } as const
    return secondsInAll > whole + seconds / PARTS ? ({ seconds: whole, what: 'endless' } as const) : undefined
  }
  return {
    heard() {
      silentParts = 0
      if (timer === undefined) arm(patience())
    },
    settled() {
      secondsInAll = 0
    },
    stop() {
      isOver = true
      clearTimeout(timer)
    },
  }
}

const PARTS = 4

/** Starts a watch that ends once, when something has taken too long as a whole; undefined allows any time. */
export function startLimit(seconds: number | undefined, onOver: (seconds: number) => void): SilenceWatch {
  const watch = watchSilence({ patience: () => seconds, onSilence: onOver })
  watch.heard()
  return watch
}

/** How long an answer may take as a whole, once it has begun to come. */
export function longestAnswer(answerSeconds: number, slowness = 1): number {
  return (slowness + LONGER) * answerSeconds
}

const LONGER = 5

/** A machine that was reached does not answer. */
export class SilentError extends DavitError {}

/** The error for a silent machine. Whether it carried out its requests is unknown. */
export function silentError(address: string, seconds: number): SilentError {
  return new SilentError('connection-lost', `'${address}' has not answered for ${seconds} s`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'look for a hanging file system or a stopped process on that machine, and run the same command again; if it is only slow, raise DAVIT_ANSWER_TIMEOUT (seconds)',
  })
}

/** The error for a machine whose answer has no end. */
export function endlessError(address: string, seconds: number): SilentError {
  return new SilentError('connection-lost', `'${address}' has not ended its answer for ${seconds} s`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'look at what answers there; if the machine or the way to it is only slow, raise DAVIT_ANSWER_TIMEOUT (seconds)',
  })
}
