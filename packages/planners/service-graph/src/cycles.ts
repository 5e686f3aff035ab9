import { type EdgesOf, stronglyConnectedComponents } from './components.ts'

/** Returns, for each group of nodes that depend on each other, a shortest path from one of them back to itself, such as `a b a`. */
export function cyclesOf<Id>(nodes: Iterable<Id>, edgesOf: EdgesOf<Id>): Id[][] {
  return cyclesIn(stronglyConnectedComponents(nodes, edgesOf), edgesOf)
}

export function cyclesIn<Id>(components: readonly (readonly Id[])[], edgesOf: EdgesOf<Id>): Id[][] {
  return components.flatMap((component) => {
    const cycle = shortestCycle(component, edgesOf)
    return cycle === undefined ? [] : [cycle]
  })
}

/** Searches breadth first from the first node of the component, without leaving the component. */
function shortestCycle<Id>(component: readonly Id[], edgesOf: EdgesOf<Id>): Id[] | undefined {
  const [start] = component
  if (start === undefined) return undefined
  const members = new Set(component)
  const cameFrom = new Map<Id, Id>()
  const queue: Id[] = [start]
  for (const node of queue) {
    for (const next of edgesOf(node)) {
      if (next === start) return [...wayTo(node, start, cameFrom), start]
      if (!members.has(next) || cameFrom.has(next)) continue
      cameFrom.set(next, node)
      queue.push(next)
    }
  }
  return undefined
}

function wayTo<Id>(end: Id, start: Id, cameFrom: ReadonlyMap<Id, Id>): Id[] {
  const way: Id[] = []
  for (let node: Id | undefined = end; node !== undefined && node !== start; node = cameFrom.get(node)) way.push(node)
  way.push(start)
  return way.reverse()
}
