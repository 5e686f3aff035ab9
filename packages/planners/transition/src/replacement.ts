import type { MappingId } from '@davit/documents'
import { grouped } from '@davit/languages'

import { type PlacedService, type Placements, targetLabelOf } from './placed-service.ts'

export interface Replacements {
  /** Incoming mapping → the mapping that it replaces. */
  readonly predecessors: Placements
  readonly successors: Placements
}

/** Degrees of kinship, closest first; all require the same service name. */
const KINSHIPS: readonly ((placed: PlacedService) => string)[] = [
  (placed) => `${placed.service.name} ${targetLabelOf(placed)} ${placed.mapping.container}`,
  (placed) => `${placed.service.name} ${targetLabelOf(placed)}`,
  ({ service, mapping }) => `${service.name} ${mapping.service}`,
  ({ service }) => service.name,
]

/** Pairs incoming mappings with outgoing ones, one to one. */
export function pairReplacements(incoming: Placements, gone: Placements): Replacements {
  const predecessors = new Map<MappingId, PlacedService>()
  const successors = new Map<MappingId, PlacedService>()
  for (const kinshipOf of KINSHIPS) {
    const candidates = grouped(
      [...gone].filter(([id]) => !successors.has(id)),
      ([, placed]) => kinshipOf(placed),
    )
    for (const [id, placed] of incoming) {
      const candidate = predecessors.has(id) ? undefined : candidates.get(kinshipOf(placed))?.shift()
      if (candidate === undefined) continue
      predecessors.set(id, candidate[1])
      successors.set(candidate[0], placed)
    }
  }
  return { predecessors, successors }
}
