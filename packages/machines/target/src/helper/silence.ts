import { DavitError, ExitStatus } from '@davit/diagnostics'

/** How long a machine that owes an answer may say nothing, unless told. */
export const ANSWER_SECONDS = 120

export interface SilenceWatch {
  /** Something was heard, or has become due. */
  heard(): void
  stop(): void
}

export interface Watched {
  /** How many seconds of silence are borne at the moment; nothing where nothing is due. */
  patience(): number | undefined
  /** Called now and then, to make something due where nothing is heard for a long time. */
  askForLife?(): void
  /** Called once, with these seconds. */
  onSilence(seconds: number): void
}

/** Silence is counted in parts: a coordinator that was itself stopped for hours meanwhile has counted one. */
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

/** Somebody is there, or was, and does not answer. */
export class SilentError extends DavitError {}

/** Nobody knows whether what was asked for has happened. */
export function silentError(address: string, seconds: number): SilentError {
  return new SilentError('connection-lost', `'${address}' has not answered for ${seconds} s`, {
    exitStatus: ExitStatus.unreachable,
    hint: 'look for a file system that hangs, or a process that was stopped, on that machine, and repeat the command; if it is only slow, a higher DAVIT_ANSWER_TIMEOUT (seconds) gives it the time',
  })
}
