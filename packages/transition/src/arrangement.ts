import type { MappingId } from '@davit/documents'
import { type EdgesOf, stronglyConnectedComponents } from '@davit/service-graph'

import { compareText } from './placed-service.ts'

export interface Arranged {
  readonly id: MappingId
  readonly waitsFor: readonly MappingId[]
}

/**
 * Nodes after what they wait for, as far as that is among the nodes. Members of a cycle do not wait for each other:
 * only records can have one, and what they stand for must be stopped all the same.
 */
export function arrange(nodes: Iterable<MappingId>, edgesOf: EdgesOf<MappingId>): readonly Arranged[] {
  const edges = new Map([...nodes].map((node) => [node, [] as MappingId[]]))
  for (const [node, targets] of edges) {
    targets.push(...new Set([...edgesOf(node)].filter((target) => edges.has(target))))
    targets.sort(compareText)
  }
  const components = stronglyConnectedComponents(edges.keys(), (node) => edges.get(node) ?? [])
  const componentOf = new Map(components.flatMap((component) => component.map((node) => [node, component] as const)))
  return components.flat().map((id) => ({
    id,
    waitsFor: (edges.get(id) ?? []).filter((target) => componentOf.get(target) !== componentOf.get(id)),
  }))
}
