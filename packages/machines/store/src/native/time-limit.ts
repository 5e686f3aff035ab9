import type { Derivation } from './derivation.ts'

export interface TimeLimit {
  readonly milliseconds: number
  /** Why a build failed that took longer. */
  readonly reason: string
}

const DEFAULT_SECONDS = 3600
/** Beyond this, timers of Node fire immediately. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1

export function timeLimitOf({ timeLimitSeconds = DEFAULT_SECONDS }: Derivation): TimeLimit {
  return {
    milliseconds: Math.min(timeLimitSeconds * 1000, MAX_TIMER_MILLISECONDS),
    reason: `took longer than ${timeLimitSeconds} seconds and was stopped`,
  }
}
