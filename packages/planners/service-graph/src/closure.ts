import type { EdgesOf } from './components.ts'

/** Returns the given nodes and all their dependencies, direct or not, nearest first. */
export function closureOf<Id>(starts: Iterable<Id>, edgesOf: EdgesOf<Id>): Set<Id> {
  const reached = new Set(starts)
  // Iterating over a Set includes elements that are added in the meantime.
  for (const node of reached) {
    for (const next of edgesOf(node)) reached.add(next)
  }
  return reached
}

/** `closureOf` for one node, with results remembered; the graph must not change in the meantime. */
export function memoizedClosure<Id>(edgesOf: EdgesOf<Id>): (node: Id) => ReadonlySet<Id> {
  const closures = new Map<Id, ReadonlySet<Id>>()
  return (node) => {
    const known = closures.get(node)
    if (known !== undefined) return known
    const closure = closureOf([node], edgesOf)
    closures.set(node, closure)
    return closure
  }
}
