import process from 'node:process'

/** Awaits a promise of foreign code; fails once nothing is pending that could settle it. */
export async function settled(promise: unknown): Promise<unknown> {
  let giveUp: () => void = () => {}
  const hopeless = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error('it waits for something that never happens'))
    process.prependOnceListener('beforeExit', giveUp)
  })
  try {
    return await Promise.race([promise, hopeless])
  } finally {
    process.off('beforeExit', giveUp)
  }
}
