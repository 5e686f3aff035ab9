import type { ContainerName, ServiceName, TargetName } from '@davit/documents'
import { byName, compareText } from '@davit/languages'

import { inOrder } from './in-order.ts'
import type { FormerPlaces, Place, PlaceableModels } from './models.ts'
import { type Need, needsOf, type NeedTerms, type Use } from './needs.ts'
import { loadWith, type Offer, offersOf, take } from './offers.ts'
import { type Obstacle, obstacleTo } from './obstacles.ts'

export interface PlacementTerms extends NeedTerms {
  /** Where services were before: they stay where they can. */
  readonly previous?: ReadonlyMap<string, FormerPlaces> | undefined
}

export interface Placements {
  /** Places by service, in order of their names; without services that say themselves where they go. */
  readonly placements: ReadonlyMap<ServiceName, readonly Place[]>
  readonly unplaced: readonly Unplaced[]
}

/** A service that cannot be placed: nowhere, or not where a dependant uses it. */
export interface Unplaced {
  readonly service: ServiceName
  readonly type: ContainerName
  /** Why each target cannot take it; if a dependant uses it somewhere, of that target only, unless there is none. */
  readonly obstacles: ReadonlyMap<TargetName, Obstacle>
  readonly use?: Use
}

/**
 * Places services on targets that can take them: where dependants use them, otherwise where they were before, otherwise on the target
 * that is least loaded for its capacity, the first by name among equals. If all targets can take all services, these go round in turn.
 */
export function placeServices(models: PlaceableModels, terms: PlacementTerms = {}): Placements {
  const scene: Scene = { offers: offersOf(models, terms.capacity), terms, placed: new Map(), unplaced: [] }
  const needs = needsOf(models, terms)
  for (const need of needs) takeAt(need.own ?? [], need, scene)
  const open = inOrder(needs.filter(({ own }) => own === undefined))
  // What has its place counts before anything else gets one, and may provide containers.
  for (const need of open) stay(need, scene)
  for (const need of open) if (!stay(need, scene)) placeAnew(need, scene)
  return {
    placements: new Map([...scene.placed].toSorted(byName)),
    unplaced: scene.unplaced.toSorted((left, right) => compareText(left.service, right.service)),
  }
}

interface Scene {
  readonly offers: ReadonlyMap<TargetName, Offer>
  readonly terms: PlacementTerms
  readonly placed: Map<ServiceName, readonly Place[]>
  readonly unplaced: Unplaced[]
}

function takeAt(places: readonly Place[], need: Need, { offers }: Scene): void {
  for (const target of new Set(places.map((place) => place.target))) {
    const offer = offers.get(target)
    if (offer !== undefined) take(offer, need)
  }
}

function settle(need: Need, places: readonly Place[], scene: Scene): void {
  const ordered = places.toSorted((left, right) => compareText(left.target, right.target))
  scene.placed.set(need.name, ordered)
  takeAt(ordered, need, scene)
}

/** Places a service where it is used, or where it was before. Returns whether it has a place. */
function stay(need: Need, scene: Scene): boolean {
  if (scene.placed.has(need.name)) return true
  const places = need.usedAt.length > 0 ? usedPlaces(need, scene) : keptPlaces(need, scene)
  if (places.length > 0) settle(need, places, scene)
  return places.length > 0
}

/** All places where it is used, or none if it cannot be in one of them. */
function usedPlaces(need: Need, scene: Scene): readonly Place[] {
  return need.usedAt.every((use) => isPossible(need, use, scene))
    ? need.usedAt.map(({ target, container }) => ({ target, container }))
    : []
}

/** A container of another name counts only for the type of which it is. */
function keptPlaces(need: Need, scene: Scene): readonly Place[] {
  const { type, places } = scene.terms.previous?.get(need.name) ?? { type: need.type, places: [] }
  return places.flatMap(({ target, container }) => {
    const containers = type === need.type ? [container, need.type] : [need.type]
    return containers.map((name) => ({ target, container: name })).find((place) => isPossible(need, place, scene)) ?? []
  })
}

function isPossible(need: Need, { target, container }: Place, { offers }: Scene): boolean {
  const offer = offers.get(target)
  return offer !== undefined && obstacleTo(need, offer, container) === undefined
}

function placeAnew(need: Need, scene: Scene): void {
  const use = need.usedAt.find((one) => !isPossible(need, one, scene))
  const all = [...scene.offers.values()]
  const best = use === undefined ? leastLoaded(all, need) : undefined
  if (best !== undefined) return settle(need, [{ target: best.name, container: need.type }], scene)
  const asked = use === undefined ? all : all.filter(({ name }) => name === use.target)
  const obstacles = new Map(asked.flatMap((offer) => withObstacle(offer, obstacleTo(need, offer, use?.container))))
  scene.unplaced.push({ service: need.name, type: need.type, obstacles, ...(use === undefined ? {} : { use }) })
}

/** Finds the target that would be the least loaded, the first by name among equals. */
function leastLoaded(offers: readonly Offer[], need: Need): Offer | undefined {
  let best: Offer | undefined
  for (const offer of offers) {
    if (obstacleTo(need, offer) !== undefined) continue
    if (best === undefined || loadWith(offer, need) < loadWith(best, need)) best = offer
  }
  return best
}

function withObstacle({ name }: Offer, obstacle: Obstacle | undefined): readonly (readonly [TargetName, Obstacle])[] {
  return obstacle === undefined ? [] : [[name, obstacle]]
}
