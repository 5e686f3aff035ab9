/** Gives up the waiting, not what is waited for. */
export async function unlessAborted<Result>(waiting: Promise<Result>, signal: AbortSignal): Promise<Result> {
  // Nobody hears any more how it ends, and it may well fail.
  waiting.catch(() => {})
  signal.throwIfAborted()
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([waiting, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
