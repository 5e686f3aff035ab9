/** Waits until the signal aborts; what is waited for goes on. */
export async function unlessAborted<Result>(waiting: Promise<Result>, signal: AbortSignal): Promise<Result> {
  // After an abort nobody handles its failure.
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
