import { type Manifest, mappingIdOf, type NamedMapping, type TargetName } from '@davit/documents'

import type { SkippedMapping } from './activity.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { placedServices } from './placed-service.ts'
import { recordedIn } from './recorded.ts'

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
  const recorded = recordedIn(observed)
  const wanted = new Set([...placedServices(next).values()].map(placeOf))
  return [...placedServices(previous).values()]
    .filter(({ mapping }) => next.infrastructure.has(mapping.target) && !unreachable.has(mapping.target))
    .filter((placed) => !recorded.has(mappingIdOf(placed.mapping)) && !wanted.has(placeOf(placed)))
    .map(({ mapping, service }) => ({
      mapping,
      service,
      message: vanishedMessage({ target: mapping.target, name: service.name }),
    }))
}

export function vanishedMessage({ target, name }: Pick<NamedMapping, 'target' | 'name'>): string {
  return `Skip service '${name}' on target '${target}', of which there is no record any more: it was stopped before, or has to be stopped by hand`
}

function placeOf({ mapping, service }: Pick<SkippedMapping, 'mapping' | 'service'>): string {
  return `${mapping.target} ${service.name}`
}
