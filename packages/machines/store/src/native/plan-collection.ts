import type { StorePath } from '@davit/documents'
import type { Registration } from './registration.ts'

export type CollectablePath = Pick<Registration, 'path' | 'references' | 'deriver'>

export interface CollectionTerms {
  /** Paths that must stay, with their closures; invalid ones are ignored. */
  readonly roots: Iterable<StorePath>
  /** Returns the outputs of a derivation, if they are known: they are about to be needed, or built. */
  outputsOf(derivation: StorePath): readonly StorePath[]
}

/** Returns the paths that no root needs, referring ones first: wherever a removal in this order stops, the store remains whole. */
export function planCollection(
  valid: readonly CollectablePath[],
  { roots, outputsOf }: CollectionTerms,
): readonly StorePath[] {
  const paths = new Map(valid.map((one) => [one.path, one]))
  const built = outputsByDeriver(valid)
  const live = new Set<StorePath>()
  const pending = [...roots]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const found = paths.get(path)
    if (found === undefined || live.has(path)) continue
    live.add(path)
    // An output that an equal derivation has built may be recorded with that one.
    pending.push(...found.references, ...outputsOf(path), ...(built.get(path) ?? []))
  }
  return referrersFirst(valid.filter(({ path }) => !live.has(path)))
}

function outputsByDeriver(valid: readonly CollectablePath[]): ReadonlyMap<StorePath, readonly StorePath[]> {
  const outputs = new Map<StorePath, StorePath[]>()
  for (const { path, deriver } of valid) {
    if (deriver === undefined) continue
    const known = outputs.get(deriver)
    if (known === undefined) outputs.set(deriver, [path])
    else known.push(path)
  }
  return outputs
}

function referrersFirst(dead: readonly CollectablePath[]): readonly StorePath[] {
  const left = new Map(dead.map(({ path, references }) => [path, references.filter((one) => one !== path)]))
  const referrers = new Map<StorePath, number>()
  const count = (path: StorePath, change: number) => {
    const number = (referrers.get(path) ?? 0) + change
    referrers.set(path, number)
    return number
  }
  for (const references of left.values()) for (const path of references) count(path, 1)
  const ready = [...left.keys()].filter((path) => (referrers.get(path) ?? 0) === 0)
  const ordered = new Set<StorePath>()
  for (let path = ready.pop(); path !== undefined; path = ready.pop()) {
    ordered.add(path)
    for (const one of left.get(path) ?? []) if (count(one, -1) === 0 && left.has(one)) ready.push(one)
  }
  // Packages do not refer to each other in circles, but a record written by hand may state so.
  return [...ordered, ...[...left.keys()].filter((path) => !ordered.has(path))]
}
