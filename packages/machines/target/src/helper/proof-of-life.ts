import { setTimeout as delay } from 'node:timers/promises'

import { hasCode } from '@davit/diagnostics'
import type { RequestOf, Role } from '@davit/target-runtime'

/** A request that reads from the disk and changes nothing. */
export const PROOF_OF_LIFE = ['lock_state', ['davit', 'davit']] as const

export interface LivingPlace {
  readonly answerSeconds: number
  readonly request: (...request: RequestOf<Role>) => Promise<readonly string[]>
}

/** Waits for work of another program, which may be silent for any time, and meanwhile checks that the helper still answers. */
export async function whileAlive<Result>(place: LivingPlace, work: Promise<Result>): Promise<Result> {
  const over = new AbortController()
  try {
    return await Promise.race([work, untilLost(place, over.signal)])
  } finally {
    over.abort()
  }
}

/** Rejects when two helpers in a row were lost; a single one may have been ended by mistake. */
async function untilLost({ answerSeconds, request }: LivingPlace, signal: AbortSignal): Promise<never> {
  for (let losses = 0; ;) {
    await delay(answerSeconds * 1000, undefined, { signal })
    const loss = await request(...PROOF_OF_LIFE).then(
      () => undefined,
      (error: unknown) => (isConnectionLost(error) ? { error } : undefined),
    )
    losses = loss === undefined ? 0 : losses + 1
    if (loss !== undefined && losses === 2) throw loss.error
  }
}

export function isConnectionLost(error: unknown): boolean {
  return hasCode(error, 'connection-lost')
}
