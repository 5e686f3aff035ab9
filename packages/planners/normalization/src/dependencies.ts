import type { NormalizedDependency, NormalizedService } from '@davit/documents'
import { sortedMap } from './sorted.ts'

export type Dependencies = ReadonlyMap<string, NormalizedDependency>

/** Dependencies that must be active before a service, by parameter name; part of its key. */
export function orderingDependenciesOf(service: Pick<NormalizedService, 'activatesAfter' | 'dependsOn'>): Dependencies {
  return mergedDependencies(service.activatesAfter, service.dependsOn)
}

/** Dependencies that a service's package gets, by parameter name. */
export function parameterDependenciesOf(service: Pick<NormalizedService, 'connectsTo' | 'dependsOn'>): Dependencies {
  return mergedDependencies(service.connectsTo, service.dependsOn)
}

/** Merges tables, in the order of names; a later table overrides an earlier one. */
export function mergedDependencies(...tables: readonly Dependencies[]): Dependencies {
  return sortedMap(new Map(tables.flatMap((table) => [...table])), (dependency) => dependency)
}
