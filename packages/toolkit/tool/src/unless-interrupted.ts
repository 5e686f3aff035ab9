/**
 * Waits for work that changes nothing, and throws at once if it is interrupted. The work is then left to itself: whoever closes its
 * connections ends it.
 */
export async function unlessInterrupted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const over = new AbortController()
  const interruption = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason as Error)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true, signal: over.signal })
  })
  try {
    return await Promise.race([work, interruption])
  } finally {
    over.abort()
  }
}
