import type { Snapshot } from '@davit/target'

/**
 * Chooses what to copy, in order, so that another store ends with the same latest snapshot: that one, or all that follow what the other
 * store has already. If it lacks an earlier one, everything is copied again, since the order is that in which they arrive.
 */
export function generationsToCopy(
  here: readonly Snapshot[],
  there: readonly Snapshot[],
  which: 'latest' | 'all',
): readonly Snapshot[] {
  if (which === 'latest') return here.slice(-1)
  const names = new Set(there.map(({ name }) => name))
  const latest = there.at(-1)?.name
  const last = here.findLastIndex(({ name }) => name === latest)
  const isComplete = here.slice(0, last + 1).every(({ name }) => names.has(name))
  return last >= 0 && isComplete ? here.slice(last + 1) : here
}
