import type { MappingId } from '@davit/documents'

import { type PlacedService, type Placements, targetLabelOf } from './placed-service.ts'

export interface Replacements {
  /** What an incoming mapping takes the place of. */
  readonly predecessors: Placements
  readonly successors: Placements
}

/** From the nearest kind of kinship to the farthest; all share the name of the service. */
const KINSHIPS: readonly ((placed: PlacedService) => string)[] = [
  (placed) => `${placed.service.name} ${targetLabelOf(placed)} ${placed.mapping.container}`,
  (placed) => `${placed.service.name} ${targetLabelOf(placed)}`,
  ({ service, mapping }) => `${service.name} ${mapping.service}`,
  ({ service }) => service.name,
]

/** Matches one to one what comes with what goes. */
export function pairReplacements(incoming: Placements, gone: Placements): Replacements {
  const predecessors = new Map<MappingId, PlacedService>()
  const successors = new Map<MappingId, PlacedService>()
  for (const kinshipOf of KINSHIPS) {
    const candidates = grouped(
      [...gone].filter(([id]) => !successors.has(id)),
      kinshipOf,
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

type Entry = readonly [MappingId, PlacedService]

function grouped(entries: readonly Entry[], kinshipOf: (placed: PlacedService) => string): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const kinship = kinshipOf(entry[1])
    const group = groups.get(kinship)
    if (group === undefined) groups.set(kinship, [entry])
    else group.push(entry)
  }
  return groups
}
