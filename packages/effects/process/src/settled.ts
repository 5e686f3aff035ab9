import process from 'node:process'

/** What a promise of others comes to; it fails once nothing is left to happen that could settle it. */
export async function settled(promise: unknown): Promise<unknown> {
  let giveUp: () => void = () => {}
  const hopeless = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error('it waits for what never happens'))
    process.prependOnceListener('beforeExit', giveUp)
  })
  try {
    return await Promise.race([promise, hopeless])
  } finally {
    process.off('beforeExit', giveUp)
  }
}
