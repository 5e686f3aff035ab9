import type { NormalizedDependency, Placement, ServiceName } from '@davit/documents'
import type { Dependencies } from './dependencies.ts'

/**
 * Makes a service wait for the providers of its containers: adds an entry to `activatesAfter` for each provider on the
 * same targets. An entry of that name which the model already uses for something else is left alone.
 */
export function withProviderEdges(
  placements: readonly Placement[],
  { dependsOn, activatesAfter }: { readonly dependsOn: Dependencies; readonly activatesAfter: Dependencies },
  placementsOf: (service: ServiceName) => readonly Placement[],
): Map<string, NormalizedDependency> {
  const edges = new Map(activatesAfter)
  for (const [provider, targets] of providerPlacements(placements, placementsOf)) {
    let parameter: string = provider
    while (isTaken(parameter, { provider, targets }, { dependsOn, activatesAfter })) parameter += "'"
    edges.set(parameter, { service: provider, targets })
  }
  return edges
}

function providerPlacements(
  placements: readonly Placement[],
  placementsOf: (service: ServiceName) => readonly Placement[],
): Map<ServiceName, Placement[]> {
  const providers = new Map<ServiceName, Placement[]>()
  for (const { target, containerProvidedByService: provider } of placements) {
    if (provider === undefined) continue
    const chosen = providers.get(provider) ?? []
    providers.set(provider, chosen)
    const first = placementsOf(provider).find((placement) => placement.target === target)
    if (first !== undefined && !chosen.includes(first)) chosen.push(first)
  }
  return providers
}

interface Edge {
  readonly provider: ServiceName
  readonly targets: readonly Placement[]
}

/** A parameter of `dependsOn` hides one of `activatesAfter`: it suffices only if it waits for the same placements. */
function isTaken(
  parameter: string,
  { provider, targets }: Edge,
  { dependsOn, activatesAfter }: { readonly dependsOn: Dependencies; readonly activatesAfter: Dependencies },
): boolean {
  const dependency = dependsOn.get(parameter)
  if (dependency !== undefined) {
    return !targets.every((placement) => dependency.targets.includes(placement))
  }
  const other = activatesAfter.get(parameter)
  return other !== undefined && other.service !== provider
}
