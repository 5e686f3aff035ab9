import { type MappingId, mappingIdOf } from '@davit/documents'
import { type EdgesOf, nearestOf, stronglyConnectedComponents } from '@davit/service-graph'
import { compareText, grouped } from '@davit/languages'

import type { PlacedService, Placements } from './placed-service.ts'

export interface Arranged<Placed> {
  readonly id: MappingId
  readonly placed: Placed
  readonly waitsFor: readonly MappingId[]
}

/**
 * Orders services after those of the table that they depend on, also by way of services that are only in the graph, such as those
 * that stay as they are.
 */
export function dependenciesFirst<Placed extends PlacedService>(
  table: ReadonlyMap<MappingId, Placed>,
  graph: Placements,
): readonly Arranged<Placed>[] {
  return arrange(table, nearestIn(table, dependenciesIn(graph)))
}

/** Orders services after those of the table that depend on them, also by way of services that are only in the graph. */
export function dependantsFirst<Placed extends PlacedService>(
  table: ReadonlyMap<MappingId, Placed>,
  graph: Placements,
): readonly Arranged<Placed>[] {
  const dependenciesOf = dependenciesIn(graph)
  const dependants = new Map<MappingId, MappingId[]>([...graph.keys()].map((id) => [id, []]))
  for (const id of graph.keys()) {
    for (const dependency of dependenciesOf(id)) dependants.get(dependency)?.push(id)
  }
  return arrange(
    table,
    nearestIn(table, (id) => dependants.get(id) ?? []),
  )
}

/** Services name dependencies by the target names of their time; a machine that recorded them may have another name now. */
export function dependenciesIn(graph: Placements): (id: MappingId) => readonly MappingId[] {
  const named = grouped(graph, ([, { mapping }]) => mappingIdOf(mapping))
  return (id) =>
    graph
      .get(id)
      ?.service.dependsOn.flatMap((dependency) => named.get(mappingIdOf(dependency)) ?? [])
      .map(([dependency]) => dependency) ?? []
}

function nearestIn(table: ReadonlyMap<MappingId, unknown>, edgesOf: EdgesOf<MappingId>): EdgesOf<MappingId> {
  return (id) => nearestOf(edgesOf(id), edgesOf, (other) => table.has(other))
}

/**
 * Members of a cycle do not wait for each other. The next manifest has no cycles; services in records must be stopped
 * even if they form one.
 */
function arrange<Placed>(
  table: ReadonlyMap<MappingId, Placed>,
  edgesOf: EdgesOf<MappingId>,
): readonly Arranged<Placed>[] {
  const edges = new Map([...table.keys()].map((id) => [id, [...edgesOf(id)].sort(compareText)]))
  const components = stronglyConnectedComponents(table.keys(), (id) => edges.get(id) ?? [])
  const componentOf = new Map(components.flatMap((component) => component.map((id) => [id, component] as const)))
  return components.flat().flatMap((id) => {
    const placed = table.get(id)
    const waitsFor = (edges.get(id) ?? []).filter((other) => componentOf.get(other) !== componentOf.get(id))
    return placed === undefined ? [] : [{ id, placed, waitsFor }]
  })
}
