import type { Architecture, InstantiatedPackage, ServiceName, System, TargetName } from '@davit/documents'
import type { Normalized } from './normalize-model.ts'
import { sortedMap } from './sorted.ts'

/** Adds the packages, in the order of the requests, to the normalized architecture. */
export function architectureOf(
  { architecture, packageRequests }: Normalized,
  packages: readonly InstantiatedPackage[],
): Architecture {
  const ofServices = new Map<ServiceName, Map<System, InstantiatedPackage>>()
  const ofTargets = new Map<TargetName, InstantiatedPackage[]>()
  for (const [index, { wantedBy, system }] of packageRequests.entries()) {
    const instantiated = packages[index]
    if (instantiated === undefined)
      throw new Error(`requested ${packageRequests.length} packages, but got ${packages.length}`)
    if ('service' in wantedBy) entryOf(ofServices, wantedBy.service, () => new Map()).set(system, instantiated)
    else entryOf(ofTargets, wantedBy.target, () => []).push(instantiated)
  }
  return {
    ...architecture,
    services: sortedMap(architecture.services, (service, name) => ({
      ...service,
      packages: ofServices.get(name) ?? new Map<System, InstantiatedPackage>(),
    })),
    targetPackages: sortedMap(architecture.targetPackages, (_, name) => ofTargets.get(name) ?? []),
  }
}

function entryOf<Key, Value>(table: Map<Key, Value>, key: Key, initial: () => Value): Value {
  const entry = table.get(key) ?? initial()
  table.set(key, entry)
  return entry
}
