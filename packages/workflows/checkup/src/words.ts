/** A few names, and how many more there are. */
export function listed(names: readonly string[]): string {
  const all = [...new Set(names)]
  const shown = all.slice(0, SHOWN).join(', ')
  return all.length > SHOWN ? `${shown} and ${all.length - SHOWN} more` : shown
}

const SHOWN = 5

export function countOf(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`
}
