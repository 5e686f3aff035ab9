import type { EdgesOf } from './components.ts'

/** The given nodes and all that they depend on, directly or not, nearest first. */
export function closureOf<Id>(starts: Iterable<Id>, edgesOf: EdgesOf<Id>): Set<Id> {
  const reached = new Set(starts)
  // A Set yields what is added while it is read.
  for (const node of reached) {
    for (const next of edgesOf(node)) reached.add(next)
  }
  return reached
}

/** `closureOf` one node, remembered; the graph must not change meanwhile. */
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
