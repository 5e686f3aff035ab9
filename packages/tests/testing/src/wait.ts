import { setTimeout as pause } from 'node:timers/promises'

const SECOND = 1000

/** How long a test waits for anything: so long that a machine that does other work as well does not fail it. */
export const PATIENCE_SECONDS = 90

/** How long a test may take, in milliseconds. It is longer than a wait, whose message says more. */
export const TEST_LIMIT = 10 * 60 * SECOND

const FIRST_PAUSE = 5
const LONGEST_PAUSE = 100

/** What a test looks for: a value, or false or an error as long as it is too early. */
type Look<Value> = () => Value | false | Promise<Value | false>

/**
 * Waits until `look` returns something other than false, and returns that. An assertion that fails in it, or another error, means that it
 * is too early. If it takes too long, the error names what was awaited, and what was there at the last look.
 */
export async function eventually<Value>(awaited: string, look: Look<Value>): Promise<Value> {
  return waitAtMost(PATIENCE_SECONDS, awaited, look)
}

/** Waits like `eventually`, for what the text of a function says by itself. */
export async function until<Value>(look: Look<Value>): Promise<Value> {
  return eventually(String(look).replace(/^(?:async )?\(\) => /, ''), look)
}

/** Waits as `eventually` does, which everything but the test of this file calls. */
export async function waitAtMost<Value>(seconds: number, awaited: string, look: Look<Value>): Promise<Value> {
  const deadline = now() + seconds * SECOND
  for (let milliseconds = FIRST_PAUSE; ; milliseconds = Math.min(milliseconds * 1.5, LONGEST_PAUSE)) {
    const isLast = now() > deadline
    try {
      const value = await look()
      if (value !== false) return value
      if (isLast) throw new Error('it was not so')
    } catch (error) {
      if (isLast) throw named(error, `gave up waiting for ${awaited} after ${seconds} seconds: `)
    }
    await pause(milliseconds)
  }
}

/** The time of a clock that fake timers do not stop. */
const now = performance.now.bind(performance)

/** Puts words before the message of an error, which keeps its place and its difference. */
function named(error: unknown, words: string): Error {
  const same = error instanceof Error ? error : new Error(String(error))
  same.message = words + same.message
  return same
}
