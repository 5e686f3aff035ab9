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
  /** Targets that could not be observed. */
  readonly unreachable: ReadonlySet<TargetName>
}

/**
 * Finds services that the last generation placed on targets which still exist, that next does not have in any version, and that
 * have no record. Either a run that was cut off later has stopped them, or somebody has removed their records; then nothing will
 * stop them.
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
