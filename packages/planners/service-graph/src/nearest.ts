import type { EdgesOf } from './components.ts'

/** Returns the members that can be reached from the given nodes without passing another member; a node counts as reached. */
export function nearestOf<Id>(
  starts: Iterable<Id>,
  edgesOf: EdgesOf<Id>,
  isMember: (node: Id) => boolean,
): readonly Id[] {
  const reached = new Set(starts)
  // Iterating over a Set includes elements that are added in the meantime.
  for (const node of reached) {
    if (!isMember(node)) for (const next of edgesOf(node)) reached.add(next)
  }
  return [...reached].filter(isMember)
}
