import type { StorePath } from '@davit/documents'

interface Referring {
  readonly path: StorePath
  readonly references: readonly StorePath[]
}

/** Sorts paths so that each comes after those of the others that it refers to; otherwise by path. */
export function referencesFirst<Info extends Referring>(infos: readonly Info[]): readonly Info[] {
  const byPath = new Map(infos.map((info) => [info.path, info]))
  const sorted = new Set<Info>()
  const begun = new Set<StorePath>()
  const pending = [...byPath.keys()].sort().reverse()
  for (let path = pending.at(-1); path !== undefined; path = pending.at(-1)) {
    const info = byPath.get(path)
    if (info === undefined || sorted.has(info)) {
      pending.pop()
    } else if (begun.has(path)) {
      sorted.add(info)
      pending.pop()
    } else {
      begun.add(path)
      for (const reference of info.references) if (!begun.has(reference)) pending.push(reference)
    }
  }
  return [...sorted]
}
