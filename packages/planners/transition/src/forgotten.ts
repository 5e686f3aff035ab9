import type { Message } from '@davit/diagnostics'
import { type Manifest, mappingIdOf, type NamedMapping, type TargetName } from '@davit/documents'

import { say } from './messages.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { type PlacedService, placedServices } from './placed-service.ts'
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
export function forgottenOf({ previous, next, observed, unreachable }: Forgetting): readonly Message[] {
  const recorded = recordedIn(observed)
  const wanted = new Set([...placedServices(next).values()].map(placeOf))
  return [...placedServices(previous).values()]
    .filter(({ mapping }) => next.infrastructure.has(mapping.target) && !unreachable.has(mapping.target))
    .filter((placed) => !recorded.has(mappingIdOf(placed.mapping)) && !wanted.has(placeOf(placed)))
    .map(({ mapping, service }) => recordGone({ target: mapping.target, name: service.name }))
}

export function recordGone({ target, name }: Pick<NamedMapping, 'target' | 'name'>): Message {
  return say('record-gone', { service: name, target })
}

function placeOf({ mapping, service }: PlacedService): string {
  return `${mapping.target} ${service.name}`
}
