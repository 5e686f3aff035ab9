import type { ChildProcess } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { constants } from 'node:os'
import { atExit } from './at-exit.ts'
import type { Command } from './command.ts'

/** How long a process group has between SIGTERM and SIGKILL. */
const GRACE_MILLISECONDS = 5_000

export interface Supervision {
  signal(name: NodeJS.Signals): void
  /** Why the group was ended. */
  stoppedBy(): 'abort' | 'timeout' | undefined
}

/**
 * Looks after the process group that a detached program leads: ends it on abort and timeout, and when this process
 * exits first. A group that outlives SIGTERM is killed, and its output closed.
 */
export function supervise(child: ChildProcess, pid: number, command: Command): Supervision {
  let reason: 'abort' | 'timeout' | undefined
  let killTimer: NodeJS.Timeout | undefined
  let closed = false
  const signal = (name: NodeJS.Signals): void => {
    // Once closed, the number may belong to another process.
    if (!closed) signalGroup(pid, name)
  }
  const kill = (): void => {
    signal('SIGKILL')
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  const stop = (why: 'abort' | 'timeout'): void => {
    reason ??= why
    signal('SIGTERM')
    killTimer ??= setTimeout(kill, GRACE_MILLISECONDS)
  }
  const stopTimer = command.timeoutSeconds && setTimeout(stop, command.timeoutSeconds * 1000, 'timeout')
  const offAbort = onAbort(command.signal, () => stop('abort'))
  const offExit = command.atExit === 'leave' ? () => {} : atExit(kill)
  child.once('close', () => {
    closed = true
    clearTimeout(killTimer)
    clearTimeout(stopTimer || undefined)
    offAbort()
    offExit()
  })
  return { signal, stoppedBy: () => reason }
}

/** Exit status as in a shell: 128 + number for a program that a signal ended. */
export function exitCodeOf(code: number | null | undefined, signal: NodeJS.Signals | null | undefined): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0)
}

function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {}
  // Node warns of a leak at eleven listeners; here it is one for each program that runs.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch (error) {
    // The group has gone; EPERM is the error of macOS when only zombies are left.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
