import type { Message } from '@davit/diagnostics'
import { type Manifest, type Mapping, mappingIdOf, type NamedMapping } from '@davit/documents'
import { compareText } from '@davit/languages'

import { type Forgetting, recordGone } from './forgotten.ts'
import { say } from './messages.ts'
import { placedServices } from './placed-service.ts'
import { recordedIn } from './recorded.ts'

export interface Leaving extends Omit<Forgetting, 'previous'> {
  /** Manifest of the last generation. */
  readonly previous: Manifest | undefined
  /** Mappings that earlier runs left behind. */
  readonly known: readonly NamedMapping[]
}

/**
 * Finds services that keep running on targets which were removed from the infrastructure. A service is settled once its record is
 * seen again, under whatever name its machine then has, or once a target of that name is observed and has no record of it.
 */
export function leftBehindOf({ next, previous, known, observed, unreachable }: Leaving): readonly NamedMapping[] {
  const isGone = ({ target }: Pick<Mapping, 'target'>) => !next.infrastructure.has(target)
  const left = [
    ...known.filter((one) => isGone(one) || unreachable.has(one.target)),
    ...(previous === undefined ? [] : placedIn(previous, isGone)),
  ]
  if (left.length === 0) return []
  const recorded = recordedIn(observed)
  const table = new Map(left.map((one) => [mappingIdOf(one), one] as const))
  return [...table].flatMap(([id, one]) => (recorded.has(id) ? [] : [one])).toSorted(inOrder)
}

/** Reports services that earlier runs left behind on targets that are observed again, but have no record of them. */
export function vanishedOf({ next, known, observed, unreachable }: Leaving): readonly Message[] {
  const recorded = recordedIn(observed)
  const wanted = new Set(placedIn(next, () => true).map(placeOf))
  return known
    .filter(({ target }) => next.infrastructure.has(target) && !unreachable.has(target))
    .filter((one) => !recorded.has(mappingIdOf(one)) && !wanted.has(placeOf(one)))
    .map(recordGone)
}

/** Returns a message for each target with services left behind. */
export function leftBehindMessages(left: readonly NamedMapping[], { infrastructure }: Manifest): readonly Message[] {
  const targets = [...new Set(left.map(({ target }) => target))]
  return targets.map((target) => {
    const services = [...new Set(left.filter((one) => one.target === target).map(({ name }) => name))]
    return say(infrastructure.has(target) ? 'left-unreachable' : 'left-behind', { services, target })
  })
}

function placedIn(manifest: Manifest, isAsked: (mapping: Mapping) => boolean): readonly NamedMapping[] {
  return [...placedServices(manifest).values()].flatMap(({ mapping, service: { name } }) => {
    const { target, container, service } = mapping
    return isAsked(mapping) ? [{ service, target, container, name }] : []
  })
}

function placeOf({ target, name }: NamedMapping): string {
  return `${target} ${name}`
}

function inOrder(left: NamedMapping, right: NamedMapping): number {
  return compareText(left.target, right.target) || compareText(left.name, right.name)
}
