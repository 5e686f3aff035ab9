import type { ContainerName, PropertyValue, ServiceName } from '@davit/documents'
import { byName } from '@davit/languages'

import type { GivenPlace, Place, PlaceableModels, PlaceableService } from './models.ts'
import { numberIn, textsIn } from './values.ts'

/** What a service needs of its target. */
export interface Need {
  readonly name: ServiceName
  readonly type: ContainerName
  /** Tags that the target must have. */
  readonly tags: readonly string[]
  /** How much of the target's capacity it takes; undefined if it does not say so. */
  readonly demand: number | undefined
  readonly provides: readonly ContainerName[]
  /** Where the service says that it goes, whatever its target is. */
  readonly own: readonly Place[] | undefined
  /** Where its dependants use it. */
  readonly usedAt: readonly Use[]
}

export interface Use extends Place {
  /** A dependant that names the place, the last by name. */
  readonly dependant: ServiceName
}

export interface NeedTerms {
  /** Name of the attribute with the demand. */
  readonly capacity?: string | undefined
  /** Tags by service, beside those of its attribute `tags`. */
  readonly tags?: ReadonlyMap<string, readonly string[]> | undefined
}

/** Returns the needs of all services. */
export function needsOf({ services }: PlaceableModels, terms: NeedTerms): readonly Need[] {
  const uses = usesIn(services)
  return [...services].map(([name, service]) => {
    const type = service.type as ContainerName
    return {
      name,
      type,
      tags: tagsOf(name, service, terms),
      demand: terms.capacity === undefined ? undefined : numberIn(service.attributes.get(terms.capacity)),
      provides: providedBy(service),
      own: service.targets?.map((place) => placeOf(place, type)),
      usedAt: placedUses(uses.get(name) ?? [], type),
    }
  })
}

function tagsOf(name: ServiceName, { attributes }: PlaceableService, { tags }: NeedTerms): readonly string[] {
  return [...new Set([...tagsIn(attributes.get('tags')), ...(tags?.get(name) ?? [])])].toSorted()
}

/** Tags of a service or a target: a text, or a list of texts. */
export function tagsIn(value: PropertyValue | undefined): readonly string[] {
  return textsIn(value)
}

function providedBy({ providesContainer, providesContainers }: PlaceableService): readonly ContainerName[] {
  const shorthand = providesContainer === undefined ? [] : [providesContainer as ContainerName]
  return [...shorthand, ...(providesContainers?.keys() ?? [])]
}

interface GivenUse {
  readonly place: GivenPlace
  readonly dependant: ServiceName
}

/** Finds the places that dependants name, in order of the dependants' names. */
function usesIn(services: PlaceableModels['services']): ReadonlyMap<string, readonly GivenUse[]> {
  const uses = new Map<string, GivenUse[]>()
  for (const [dependant, { dependsOn, connectsTo, activatesAfter }] of [...services].toSorted(byName)) {
    for (const { service, targets = [] } of [dependsOn, connectsTo, activatesAfter].flatMap((one) => [
      ...one.values(),
    ])) {
      const known = uses.get(service) ?? []
      uses.set(service, known)
      known.push(...targets.map((place) => ({ place, dependant })))
    }
  }
  return uses
}

/** Each place once. */
function placedUses(uses: readonly GivenUse[], type: ContainerName): readonly Use[] {
  const placed = uses.map(({ place, dependant }) => ({ ...placeOf(place, type), dependant }))
  return [...new Map(placed.map((use) => [`${use.target} ${use.container}`, use])).values()]
}

function placeOf({ target, container }: GivenPlace, type: ContainerName): Place {
  return { target: target as Place['target'], container: (container ?? type) as ContainerName }
}
