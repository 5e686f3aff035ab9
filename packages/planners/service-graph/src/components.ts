/** Returns the nodes that a node depends on; ids are compared as Maps compare them. */
export type EdgesOf<Id> = (node: Id) => Iterable<Id>

interface Visit<Id> {
  readonly node: Id
  readonly edges: Iterator<Id>
  readonly index: number
  low: number
}

/**
 * Groups nodes that reach each other; a group comes after every group that it depends on. Follows edges to nodes that
 * are not listed. Tarjan's algorithm with an explicit stack, so that only memory limits the depth.
 */
export function stronglyConnectedComponents<Id>(nodes: Iterable<Id>, edgesOf: EdgesOf<Id>): Id[][] {
  const indexes = new Map<Id, number>()
  const open = new Set<Id>()
  const pending: Id[] = []
  const components: Id[][] = []
  const path: Visit<Id>[] = []

  const enter = (node: Id) => {
    const index = indexes.size
    indexes.set(node, index)
    open.add(node)
    pending.push(node)
    path.push({ node, edges: edgesOf(node)[Symbol.iterator](), index, low: index })
  }
  const follow = (visit: Visit<Id>, node: Id) => {
    const index = indexes.get(node)
    if (index === undefined) enter(node)
    else if (open.has(node)) visit.low = Math.min(visit.low, index)
  }
  const leave = (visit: Visit<Id>) => {
    path.pop()
    const parent = path.at(-1)
    if (parent !== undefined) parent.low = Math.min(parent.low, visit.low)
    if (visit.low !== visit.index) return
    const component = pending.splice(pending.lastIndexOf(visit.node))
    for (const node of component) open.delete(node)
    components.push(component)
  }

  for (const node of nodes) {
    if (!indexes.has(node)) enter(node)
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const edge = visit.edges.next()
      if (edge.done === true) leave(visit)
      else follow(visit, edge.value)
    }
  }
  return components
}
