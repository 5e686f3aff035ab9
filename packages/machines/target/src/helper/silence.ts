import { DavitError, ExitStatus } from '@davit/diagnostics'

/** By default, how long an answer may be due before a silent machine counts as lost. */
export const ANSWER_SECONDS = 120

export interface SilenceWatch {
  /** Call this when something was heard, or has become due. */
  heard(): void
  stop(): void
}

export interface Watched {
  /** Seconds of silence that are allowed at the moment; undefined if nothing is due. */
  patience(): number | undefined
  /** Called from time to time during a long silence, to request something that is then due. */
  askForLife?(): void
  /** Called once, with the seconds of `patience`. */
  onSilence(seconds: number): void
}

/** Counts silence in parts, so that a coordinator that was itself stopped for hours counts only one of them. */
export function watchSilence({ patience, askForLife, onSilence }: Watched): SilenceWatch {
  let timer: NodeJS.Timeout | undefined
  let silentParts = 0
  let isOver = false
  const arm = (seconds: number | undefined) => {
    timer = seconds === undefined || isOver ? undefined : setTimeout(count, (seconds * 1000) / PARTS)
  }
  const count = () => {
    askForLife?.()
    const seconds = patience()
    silentParts += 1
    // The first part may have begun before something was heard.
    if (seconds === undefined || silentParts <= PARTS) return arm(seconds)
    isOver = true
    onSilence(seconds)
  }
  return {
    heard() {
      silentParts = 0
      if (timer === undefined) arm(patience())
    },
    stop() {
      isOver = true
      clearTimeout(timer)
    },
  }
}

const PARTS = 4

/** A machine that was reached does not answer. */
export class SilentError extends DavitError {}

/** The error for a silent machine. Whether it carried out its requests is unknown. */
export function silentError(address: string, seconds: number): SilentError {
  return new SilentError('connection-lost', `'${address}' has not answered for ${seconds} s`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'look for a hanging file system or a stopped process on that machine, and run the same command again; if it is only slow, raise DAVIT_ANSWER_TIMEOUT (seconds)',
  })
}
