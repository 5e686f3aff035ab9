import { isDeepStrictEqual } from 'node:util'

import { isSameDeployment } from '@davit/comparison'
import type { Manifest, TargetName } from '@davit/documents'
import { grouped } from '@davit/languages'

import { instanceIdOf } from './instances.ts'
import { type Obstacle, obstaclesTo } from './obstacles.ts'
import { type Change, type Part, partIn } from './part.ts'
import type { Selection } from './select.ts'

export type PartOutcome =
  | ({ readonly kind: 'part' } & Part)
  | {
      readonly kind: 'refused'
      readonly obstacles: readonly Obstacle[]
      /** What is selected together with what is missing; undefined if nothing helps. */
      readonly sufficient: Selection | undefined
    }

/**
 * Returns the manifest that has what is selected as next describes it, and everything else as it is in the current manifest. It is refused
 * if what is left out would not work with that. If everything is selected, the part is next; if nothing changes, it is the current manifest.
 */
export function partOf(change: Change): PartOutcome {
  const { next, current } = change
  if (isEverything(change)) return { kind: 'part', manifest: next, mixed: [] }
  const found = partIn(change)
  const obstacles = obstaclesTo(found, change)
  if (obstacles.length > 0) return { kind: 'refused', obstacles, sufficient: sufficientFor(change, obstacles) }
  const part = { ...found, mixed: changedIn(found, current) }
  const isUnchanged = part.mixed.length === 0 && isSameDeployment(current, part.manifest)
  return { kind: 'part', ...(isUnchanged ? { manifest: current, mixed: [] } : part) }
}

function isEverything({ next, current, selection }: Change): boolean {
  return [next, current].every(({ infrastructure }) =>
    [...infrastructure.keys()].every((name) => selection.whole.has(name)),
  )
}

/** The mixed targets that need another profile than their current one. */
function changedIn({ manifest, mixed }: Part, current: Manifest): readonly TargetName[] {
  const [after, before] = [contentsOf(manifest), contentsOf(current)]
  return mixed.filter((name) => !current.profiles.has(name) || !isDeepStrictEqual(after.get(name), before.get(name)))
}

/** What the profile manifest of each target says. */
function contentsOf({ services, serviceMappings, snapshotMappings }: Manifest): ReadonlyMap<TargetName, unknown> {
  const all = [...serviceMappings, ...snapshotMappings].map((mapping) => ({
    mapping,
    service: services.get(mapping.service),
  }))
  return grouped(all, ({ mapping }) => mapping.target)
}

/** Most rounds of looking for what is missing; a chain of dependencies takes one for each. */
const MAX_ROUNDS = 100

/** Adds what is missing, until nothing is. */
function sufficientFor(change: Change, obstacles: readonly Obstacle[]): Selection | undefined {
  let { selection } = change
  let missing = obstacles
  for (let round = 0; round < MAX_ROUNDS && missing.length > 0; round += 1) {
    if (missing.some(({ kind }) => kind === 'store')) return undefined
    selection = withMissing(selection, missing)
    const wider = { ...change, selection }
    missing = obstaclesTo(partIn(wider), wider)
  }
  return missing.length === 0 ? selection : undefined
}

function withMissing({ whole, instances }: Selection, obstacles: readonly Obstacle[]): Selection {
  const missing = obstacles.flatMap((obstacle) => ('missing' in obstacle ? [obstacle.missing] : []))
  const targets = new Set([...whole, ...missing.filter((one) => typeof one === 'string')])
  const added = missing.filter((one) => typeof one !== 'string').map((one) => [instanceIdOf(one), one] as const)
  const all = [...instances, ...added].filter(([, { target }]) => !targets.has(target))
  return { whole: targets, instances: new Map(all) }
}
