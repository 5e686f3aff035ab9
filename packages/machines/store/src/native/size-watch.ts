import { setTimeout as delay } from 'node:timers/promises'
import { type Environment, runCommand } from '@davit/process'

export interface SizeWatch {
  /** Whether the limit is reached now. */
  isReached(): Promise<boolean>
  stop(): void
}

export interface WatchedSize {
  readonly paths: readonly [string, ...string[]]
  readonly bytes: number
  readonly environment: Environment
}

const PAUSE_MILLISECONDS = 500

/** Measures the size of paths from time to time, and calls `onReached` once it reaches the limit. */
export function watchSize(watched: WatchedSize, onReached: () => void): SizeWatch {
  const stopping = new AbortController()
  const { signal } = stopping
  const isReached = async () => (await occupiedBytes(watched)) >= watched.bytes
  const look = async () => {
    let began = performance.now()
    // Measuring takes half of the time at most, however slow it is.
    for (let pause = PAUSE_MILLISECONDS; ; pause = Math.max(PAUSE_MILLISECONDS, performance.now() - began)) {
      await delay(pause, undefined, { signal, ref: false })
      began = performance.now()
      if ((await isReached()) && !signal.aborted) return onReached()
    }
  }
  look().catch(() => {})
  return { isReached, stop: () => stopping.abort() }
}

/** Bytes that paths occupy; a path that is missing, or just being removed, occupies none. */
async function occupiedBytes({ paths, environment }: WatchedSize): Promise<number> {
  const env = { PATH: environment['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }
  const { stdout } = await runCommand({ argv: ['du', '-sk', ...paths], env })
  return stdout.split('\n').reduce((sum, line) => sum + 1024 * Number(/^\d+/.exec(line)?.[0] ?? 0), 0)
}
