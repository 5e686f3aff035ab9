import { type Manifest, type MappingId, mappingIdOf } from '@davit/documents'
import { compareText, grouped } from '@davit/languages'
import { activitiesOf, type Activity, KINDS, observedOf, planTransition, renderReason } from '@davit/transition'

import type { Change, ChangeKind, Edge } from './graph.ts'
import type { Placed } from './placed.ts'

/** What a plan does with the instances of a picture. */
export interface Changes {
  /** Manifest of what there is before. */
  readonly from: Manifest
  readonly byInstance: ReadonlyMap<MappingId, Change>
  /** Instances that only the old manifest has, and that no other one takes the place of. */
  readonly leaving: readonly Placed[]
  readonly moves: readonly Edge[]
}

/** Finds what it takes to get from one manifest to another, if what runs is as the first one says. */
export function changesBetween(from: Manifest, to: Manifest): Changes {
  const transition = planTransition(to, observedOf(from, from.infrastructure), { previous: from, upgrade: 'upgrade' })
  const activities = activitiesOf(transition)
  const starts = activities.filter(({ kind }) => kind === 'activate')
  const started = new Set(starts.map(positionOf))
  const stops = activities.filter(({ kind }) => kind === 'deactivate')
  const leaving = stops.filter((activity) => !started.has(positionOf(activity)))
  const stopped = new Set(stops.map(positionOf))
  const changes = [
    ...starts.map((activity) => changeBy(activity, stopped.has(positionOf(activity)) ? 'replaced' : 'started')),
    ...leaving.map((activity) => changeBy(activity, 'stopped')),
  ]
  return { from, byInstance: new Map(changes), leaving, moves: movesBetween(leaving, starts) }
}

/** Text of a place with the name of its service, whatever its version. */
function positionOf({ mapping: { target, container }, service: { name } }: Placed): string {
  return `${target} ${container} ${name}`
}

const MOVED = { started: 'moved', replaced: 'replaced', stopped: 'gone' } as const

function changeBy(activity: Activity, kind: keyof typeof MOVED): readonly [id: MappingId, change: Change] {
  const hasMoved = activity.reasons.some((reason) => reason.kind === 'moved')
  const shown: ChangeKind = hasMoved ? MOVED[kind] : kind
  const { moved } = KINDS[activity.kind]
  const reasons = activity.reasons.map((reason) => renderReason(reason, moved))
  return [mappingIdOf(activity.mapping), { kind: shown, reasons }]
}

/** Connects where a service was with where it goes, which the reasons of both tell. */
function movesBetween(leaving: readonly Activity[], starts: readonly Activity[]): readonly Edge[] {
  const arrivals = grouped(
    starts.flatMap((start) => originsOf(start).map((origin) => ({ start, origin }))),
    ({ origin }) => origin,
  )
  const moves = leaving.flatMap((activity) =>
    (arrivals.get(positionOf(activity)) ?? []).map(({ start }): Edge => {
      return { from: mappingIdOf(activity.mapping), to: mappingIdOf(start.mapping), kind: 'moves' }
    }),
  )
  return moves.sort((left, right) => compareText(left.from, right.from) || compareText(left.to, right.to))
}

function originsOf({ reasons, service: { name } }: Activity): readonly string[] {
  return reasons.flatMap((reason) =>
    reason.kind === 'moved' ? [`${reason.from.target} ${reason.from.container} ${name}`] : [],
  )
}
