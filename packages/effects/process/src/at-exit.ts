/** Calls a listener when this process exits, unless the returned function is called before. A signal without a listener is no exit. */
export function atExit(listener: () => void): () => void {
  // Node warns of a leak at eleven listeners.
  process.setMaxListeners(process.getMaxListeners() + 1)
  process.on('exit', listener)
  return () => {
    process.off('exit', listener)
    process.setMaxListeners(process.getMaxListeners() - 1)
  }
}
