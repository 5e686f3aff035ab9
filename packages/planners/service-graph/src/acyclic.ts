/** Tells whether no node leads back to itself, given the numbers of the nodes to which each node has edges. Much faster than to find cycles. */
export function isAcyclic(edges: readonly (readonly number[])[]): boolean {
  const waiting = new Uint32Array(edges.length)
  for (const targets of edges) for (const target of targets) waiting[target] = (waiting[target] ?? 0) + 1
  const free = [...edges.keys()].filter((node) => waiting[node] === 0)
  // A node is free when all that lead to it are; iterating over a list includes items that are added in the meantime.
  for (const node of free) {
    for (const target of edges[node] ?? []) {
      const left = (waiting[target] ?? 0) - 1
      waiting[target] = left
      if (left === 0) free.push(target)
    }
  }
  return free.length === edges.length
}
