import type { NormalizedDependency, NormalizedService } from '@davit/documents'
import { sortedMap } from './sorted.ts'

export type Dependencies = ReadonlyMap<string, NormalizedDependency>

/** What has to be active before a service, by parameter name; hashed into its key. */
export function orderingDependenciesOf(service: Pick<NormalizedService, 'activatesAfter' | 'dependsOn'>): Dependencies {
  return mergedDependencies(service.activatesAfter, service.dependsOn)
}

/** What a service's package is given, by parameter name. */
export function parameterDependenciesOf(service: Pick<NormalizedService, 'connectsTo' | 'dependsOn'>): Dependencies {
  return mergedDependencies(service.connectsTo, service.dependsOn)
}

/** In the order of their names; of two with the same name the later one counts. */
export function mergedDependencies(...tables: readonly Dependencies[]): Dependencies {
  return sortedMap(new Map(tables.flatMap((table) => [...table])), (dependency) => dependency)
}
