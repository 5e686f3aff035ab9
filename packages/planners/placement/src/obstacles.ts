import type { ContainerName } from '@davit/documents'

import type { Need } from './needs.ts'
import type { Offer } from './offers.ts'

/** Why a service cannot be placed on a target. */
export type Obstacle =
  | { readonly kind: 'container'; readonly container: ContainerName }
  | { readonly kind: 'tags'; readonly missing: readonly string[] }
  | { readonly kind: 'unknown-capacity' }
  | { readonly kind: 'full'; readonly needed: number; readonly left: number }

/** Finds the first reason why a service cannot be placed in a container of a target; undefined if it can. */
export function obstacleTo(need: Need, offer: Offer, container: ContainerName = need.type): Obstacle | undefined {
  // Services of this type are only installed.
  if (need.type !== 'package' && !offer.containers.has(container)) return { kind: 'container', container }
  const missing = need.tags.filter((tag) => !offer.tags.has(tag))
  if (missing.length > 0) return { kind: 'tags', missing }
  return lackOfCapacity(need, offer)
}

function lackOfCapacity({ demand }: Need, { capacity, taken }: Offer): Obstacle | undefined {
  if (capacity === undefined) return { kind: 'unknown-capacity' }
  if (demand === undefined || taken + demand <= capacity) return undefined
  return { kind: 'full', needed: demand, left: Math.max(0, capacity - taken) }
}
