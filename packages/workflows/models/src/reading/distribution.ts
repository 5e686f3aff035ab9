import { Float } from '@davit/languages'
import type { PlacementModel } from '@davit/normalization'
import { membersOf, type Part } from './part.ts'
import { plainValueOf, tableOf } from './plain.ts'
import { readPlacements } from './read-placements.ts'
import type { TargetNames } from './target-names.ts'

/** Service name → placements. */
export type Distribution = ReadonlyMap<string, readonly PlacementModel[]>

export function readDistribution(part: Part, { nameOf }: TargetNames): Distribution {
  const members = membersOf(part, 'a table of services and their targets')
  return new Map([...members].map(([service, member]) => [service, readPlacements(member, nameOf)]))
}

/** Makes the `distribution` argument of services models: unchanged, or, if it is data, with targets instead of their names. */
export function distributionForFunctions(raw: unknown, { targets }: TargetNames): unknown {
  if (!(raw instanceof Map)) return raw
  const targetFor = (item: unknown) => (isName(item) ? (targets.get(String(item)) ?? item) : item)
  const entryFor = (item: unknown) =>
    item instanceof Map && item.has('target')
      ? { ...(plainValueOf(item) as object), target: targetFor(item.get('target')) }
      : targetFor(item)
  const listFor = (list: unknown) => (Array.isArray(list) ? list.map(entryFor) : plainValueOf(list))
  return tableOf(
    [...(raw as ReadonlyMap<string, unknown>)].map(([service, value]) => [
      service,
      value instanceof Map ? { targets: listFor(value.get('targets')) } : listFor(value),
    ]),
  )
}

/** In data, names may look like numbers. */
function isName(item: unknown): boolean {
  return typeof item === 'string' || typeof item === 'number' || item instanceof Float
}
