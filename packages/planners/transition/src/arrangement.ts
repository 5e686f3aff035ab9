import { type MappingId, mappingIdOf } from '@davit/documents'
import { type EdgesOf, stronglyConnectedComponents } from '@davit/service-graph'
import { compareText, grouped } from '@davit/languages'

import { type PlacedService } from './placed-service.ts'

export interface Arranged<Placed> {
  readonly id: MappingId
  readonly placed: Placed
  readonly waitsFor: readonly MappingId[]
}

/** Orders services after those of the table that they depend on. */
export function dependenciesFirst<Placed extends PlacedService>(table: ReadonlyMap<MappingId, Placed>) {
  return arrange(table, dependenciesIn(table))
}

/** Orders services after those of the table that depend on them. */
export function dependantsFirst<Placed extends PlacedService>(table: ReadonlyMap<MappingId, Placed>) {
  const dependenciesOf = dependenciesIn(table)
  const dependants = new Map<MappingId, MappingId[]>([...table.keys()].map((id) => [id, []]))
  for (const id of table.keys()) {
    for (const dependency of dependenciesOf(id)) dependants.get(dependency)?.push(id)
  }
  return arrange(table, (id) => dependants.get(id) ?? [])
}

/** Services name dependencies by the target names of their time; a machine that recorded them may have another name now. */
function dependenciesIn(table: ReadonlyMap<MappingId, PlacedService>): (id: MappingId) => readonly MappingId[] {
  const named = grouped(table, ([, { mapping }]) => mappingIdOf(mapping))
  return (id) =>
    table
      .get(id)
      ?.service.dependsOn.flatMap((dependency) => named.get(mappingIdOf(dependency)) ?? [])
      .map(([dependency]) => dependency) ?? []
}

/**
 * Members of a cycle do not wait for each other. The next manifest has no cycles; services in records must be stopped
 * even if they form one.
 */
function arrange<Placed>(
  table: ReadonlyMap<MappingId, Placed>,
  edgesOf: EdgesOf<MappingId>,
): readonly Arranged<Placed>[] {
  const edges = new Map([...table.keys()].map((id) => [id, edgesWithin(table, edgesOf(id))]))
  const components = stronglyConnectedComponents(table.keys(), (id) => edges.get(id) ?? [])
  const componentOf = new Map(components.flatMap((component) => component.map((id) => [id, component] as const)))
  return components.flat().flatMap((id) => {
    const placed = table.get(id)
    const waitsFor = (edges.get(id) ?? []).filter((other) => componentOf.get(other) !== componentOf.get(id))
    return placed === undefined ? [] : [{ id, placed, waitsFor }]
  })
}

function edgesWithin(table: ReadonlyMap<MappingId, unknown>, edges: Iterable<MappingId>): MappingId[] {
  return [...new Set(edges)].filter((id) => table.has(id)).sort(compareText)
}
