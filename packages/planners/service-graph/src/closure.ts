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
