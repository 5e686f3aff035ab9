import { setTimeout as pause } from 'node:timers/promises'

const LIMIT_MILLISECONDS = 30_000
const INTERVAL_MILLISECONDS = 50

/** Waits for the first value of `ask` that is neither undefined nor false. Rejects after a while, and names what was awaited. */
export async function eventually<Value>(
  awaited: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  const deadline = Date.now() + LIMIT_MILLISECONDS
  for (;;) {
    const value = await ask()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`gave up waiting for ${awaited}`)
    await pause(INTERVAL_MILLISECONDS)
  }
}
