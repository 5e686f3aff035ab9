import { type Manifest, mappingIdOf, type TargetName } from '@davit/documents'

import type { SkippedMapping } from './activity.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { placedServices } from './placed-service.ts'

export interface Forgetting {
  readonly previous: Manifest
  readonly next: Manifest
  readonly observed: readonly ObservedMapping[]
  /** Of what is there nothing is known. */
  readonly unreachable: ReadonlySet<TargetName>
}

/**
 * What the last generation placed on targets that are still there, and next does not in any version, without a record of it: it
 * was stopped by a run that was cut off later, or somebody has removed its record, and nothing will stop it.
 */
export function forgottenOf({ previous, next, observed, unreachable }: Forgetting): readonly SkippedMapping[] {
  // A target whose name has gone to another machine is observed as `NAME@…`.
  const named = (target: TargetName) => target.replace(/@.*$/s, '') as TargetName
  const recorded = new Set(observed.map(({ mapping }) => mappingIdOf({ ...mapping, target: named(mapping.target) })))
  const wanted = new Set([...placedServices(next).values()].map(placeOf))
  return [...placedServices(previous).values()]
    .filter(({ mapping }) => next.infrastructure.has(mapping.target) && !unreachable.has(mapping.target))
    .filter((placed) => !recorded.has(mappingIdOf(placed.mapping)) && !wanted.has(placeOf(placed)))
    .map(({ mapping, service }) => ({
      mapping,
      service,
      message: `Skip service '${service.name}' on target '${mapping.target}', of which there is no record any more: it was stopped before, or has to be stopped by hand`,
    }))
}

function placeOf({ mapping, service }: Pick<SkippedMapping, 'mapping' | 'service'>): string {
  return `${mapping.target} ${service.name}`
}
