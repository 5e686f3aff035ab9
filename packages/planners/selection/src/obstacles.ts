import { isDeepStrictEqual } from 'node:util'

import {
  type Manifest,
  type ManifestService,
  type Mapping,
  mappingIdOf,
  type ServiceMapping,
  type Target,
  type TargetName,
} from '@davit/documents'
import { stateBetween } from '@davit/transition'

import { type Instance, instanceOf, referencesOf } from './instances.ts'
import { type Change, originOf, type Part } from './part.ts'
import { isSelected } from './select.ts'

/** Why a part of a manifest would not work, or would lose something. */
export type Obstacle =
  /** `one` is selected, and needs `other`, which is not and is new or changes; or the other way round. */
  | {
      readonly kind: 'needs-new' | 'needs-old'
      readonly one: Instance
      readonly other: Instance
      readonly missing: Instance
    }
  /** State would move, and only one of the two is selected. */
  | { readonly kind: 'state'; readonly one: Instance; readonly other: Instance; readonly missing: Instance }
  /** A service leaves all of its targets, and does not get to those where it goes. */
  | { readonly kind: 'nowhere'; readonly one: Instance; readonly missing: Instance }
  /** A version of a service has other connections, or provides other containers, and remains as it is elsewhere. */
  | { readonly kind: 'described'; readonly one: Instance; readonly missing: Instance }
  /** A selected service needs what changes with its target. */
  | {
      readonly kind: 'target'
      readonly one: Instance
      readonly what: 'address' | 'container'
      readonly missing: TargetName
    }
  | { readonly kind: 'store' }

/** Finds what keeps a part from being deployed without the rest. */
export function obstaclesTo(part: Part, change: Change): readonly Obstacle[] {
  const { current, next } = change
  if (current.infrastructure.size > 0 && !isDeepStrictEqual(current.store, next.store)) return [{ kind: 'store' }]
  const found = [
    ...neededBy(part.manifest, change),
    ...describedTwice(part.manifest, change),
    ...movingState(change),
    ...gone(part.manifest, change),
    ...changingTargets(part, change),
  ]
  return [...new Map(found.map((obstacle) => [JSON.stringify(obstacle), obstacle])).values()]
}

/** References of the part to what it does not have, although it was there for whoever refers to it. */
function neededBy(part: Manifest, change: Change): readonly Obstacle[] {
  const there = placesIn(part)
  const [inNext, inCurrent] = [placesIn(change.next), placesIn(change.current)]
  return part.serviceMappings.flatMap((mapping): readonly Obstacle[] => {
    const origin = originOf(change, mapping)
    const one = instanceOf(origin, mapping)
    const before = origin === change.next ? inNext : inCurrent
    const isMissing = (reference: Mapping) => {
      const id = mappingIdOf(reference)
      return !there.has(id) && (before.has(id) || !part.services.has(reference.service))
    }
    return neededIn(origin, mapping, before)
      .filter(isMissing)
      .flatMap((reference): readonly Obstacle[] => {
        const other = instanceOf(origin, reference)
        if (one === undefined || other === undefined) return []
        if (origin === change.next) return [{ kind: 'needs-new', one, other, missing: other }]
        return [{ kind: 'needs-old', one, other, missing: one }]
      })
  })
}

type Places = ReadonlyMap<string, Mapping>

/** Mappings by their identity, and by service and target alone. */
function placesIn({ serviceMappings }: Manifest): Places {
  return new Map(
    serviceMappings.flatMap((mapping) => [
      [mappingIdOf(mapping), mapping],
      [`${mapping.service} ${mapping.target}`, mapping],
    ]),
  )
}

/** What a mapping needs: what its service refers to, and what provides its container. */
function neededIn({ services }: Manifest, mapping: ServiceMapping, places: Places): readonly Mapping[] {
  const { service, target, containerProvidedByService: provider } = mapping
  const found = services.get(service)
  const providing = provider === undefined ? undefined : places.get(`${provider} ${target}`)
  return [...(found === undefined ? [] : referencesOf(found)), ...(providing === undefined ? [] : [providing])]
}

/** Services of one key that the part would describe in two ways. */
function describedTwice(part: Manifest, change: Change): readonly Obstacle[] {
  const first = new Map<string, { readonly instance: Instance; readonly service: ManifestService }>()
  return part.serviceMappings.flatMap((mapping): readonly Obstacle[] => {
    const origin = originOf(change, mapping)
    const service = origin.services.get(mapping.service)
    const instance = instanceOf(origin, mapping)
    if (service === undefined || instance === undefined) return []
    const other = first.get(mapping.service)
    if (other === undefined) first.set(mapping.service, { instance, service })
    if (other === undefined || isDeepStrictEqual(other.service, service)) return []
    const [one, missing] = isSelected(change.selection, instance)
      ? [instance, other.instance]
      : [other.instance, instance]
    return [{ kind: 'described', one, missing }]
  })
}

function movingState({ next, current, selection }: Change): readonly Obstacle[] {
  return stateBetween(current, next).moved.flatMap(({ from, to }): readonly Obstacle[] => {
    const one = { service: from.service.name, target: from.mapping.target }
    const other = { service: to.service.name, target: to.mapping.target }
    if (isSelected(selection, one) === isSelected(selection, other)) return []
    return [{ kind: 'state', one, other, missing: isSelected(selection, one) ? other : one }]
  })
}

/** Services that leave without arriving. */
function gone(part: Manifest, { next, current }: Change): readonly Obstacle[] {
  const stays = new Set(part.serviceMappings.map(({ service }) => part.services.get(service)?.name))
  const goals = new Map(
    next.serviceMappings.toReversed().flatMap((mapping) => {
      const instance = instanceOf(next, mapping)
      return instance === undefined ? [] : [[instance.service, instance] as const]
    }),
  )
  return current.serviceMappings.flatMap((mapping): readonly Obstacle[] => {
    const one = instanceOf(current, mapping)
    const missing = one === undefined || stays.has(one.service) ? undefined : goals.get(one.service)
    return one === undefined || missing === undefined ? [] : [{ kind: 'nowhere', one, missing }]
  })
}

/** Selected services on targets that are not selected themselves, of which they need what changes. */
function changingTargets({ manifest, mixed }: Part, { next, current, selection }: Change): readonly Obstacle[] {
  const names = new Set(mixed)
  return manifest.serviceMappings.flatMap((mapping): readonly Obstacle[] => {
    const { target: missing, container } = mapping
    const one = instanceOf(next, mapping)
    const [now, before] = [next.infrastructure.get(missing), current.infrastructure.get(missing)]
    if (one === undefined || now === undefined || before === undefined) return []
    if (!names.has(missing) || !isSelected(selection, one)) return []
    if (!isDeepStrictEqual(wayTo(now), wayTo(before))) return [{ kind: 'target', one, what: 'address', missing }]
    if (isDeepStrictEqual(now.containers.get(container), before.containers.get(container))) return []
    return [{ kind: 'target', one, what: 'container', missing }]
  })
}

function wayTo({ properties, clientInterface, targetProperty, system }: Target) {
  return { address: properties.get(targetProperty), clientInterface, system }
}
