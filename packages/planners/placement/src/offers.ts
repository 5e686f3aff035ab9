import type { ContainerName, TargetName } from '@davit/documents'
import { byName } from '@davit/languages'

import type { PlaceableModels, PlaceableTarget } from './models.ts'
import { type Need, tagsIn } from './needs.ts'
import { numberIn } from './values.ts'

/** What a target offers, and what has been placed there. */
export interface Offer {
  readonly name: TargetName
  /** Its own containers, and those of services that were placed there. */
  readonly containers: Set<ContainerName>
  readonly tags: ReadonlySet<string>
  /** Undefined if the target does not say how much it can take. */
  readonly capacity: number | undefined
  /** Sum of the demands of services that state one. */
  taken: number
  /** The same, with one for each of the others. */
  load: number
}

/** Returns what the targets offer, in order of their names. `capacity` names the attribute or property that counts. */
export function offersOf(
  { infrastructure }: PlaceableModels,
  capacity: string | undefined,
): ReadonlyMap<TargetName, Offer> {
  return new Map(
    [...infrastructure].toSorted(byName).map(([name, target]) => [
      name,
      {
        name,
        containers: new Set(target.containers.keys()),
        tags: new Set(tagsIn(target.properties.get('tags'))),
        capacity: capacityOf(target, capacity),
        taken: 0,
        load: 0,
      },
    ]),
  )
}

function capacityOf({ properties, numOfCores = 1 }: PlaceableTarget, name: string | undefined): number | undefined {
  if (name === undefined) return 1
  return name === 'numOfCores' ? numOfCores : numberIn(properties.get(name))
}

/** What may be counted as the capacity of targets: properties of any of them that are numbers above zero. */
export function capacitiesIn({ infrastructure }: Pick<PlaceableModels, 'infrastructure'>): ReadonlySet<string> {
  const properties = [...infrastructure.values()].flatMap(({ properties: own }) => [...own])
  const numbers = properties.flatMap(([name, value]) => (numberIn(value) === undefined ? [] : [name]))
  return new Set(['numOfCores', ...numbers])
}

/** Notes that a service is placed on a target. */
export function take(offer: Offer, { demand, provides }: Need): void {
  offer.taken += demand ?? 0
  offer.load += demand ?? 1
  for (const container of provides) offer.containers.add(container)
}

/** How full a target would be with one more service, for comparison with others. */
export function loadWith({ load, capacity = 1 }: Offer, { demand }: Need): number {
  return (load + (demand ?? 1)) / capacity
}
