import { type Manifest, type MappingId, mappingIdOf, type PlanDocument } from '@davit/documents'
import { compareText, grouped } from '@davit/languages'
import { startsService, stopsService } from '@davit/target-runtime'
import {
  activitiesOf,
  type Activity,
  KINDS,
  observedOf,
  planTransition,
  renderReason,
  traitsOf,
} from '@davit/transition'

import type { Change, ChangeKind, Edge } from './graph.ts'
import { type Placed, placedIn } from './placed.ts'

/** What a plan does with the instances of a picture. */
export interface Changes {
  /** Manifest of what there is before. */
  readonly from: Manifest
  readonly byInstance: ReadonlyMap<MappingId, Change>
  /** Instances that only the old manifest has, and that no other one takes the place of. */
  readonly leaving: readonly Placed[]
  readonly moves: readonly Edge[]
}

/** A step of a plan, as far as it is drawn. */
interface DrawnStep extends Placed {
  readonly activity: string
  readonly why: readonly string[]
  /** The other place of a service that moves. */
  readonly moved?: { readonly target: string; readonly container: string } | undefined
}

/** Finds what it takes to get from one manifest to another, if what runs is as the first one says. */
export function changesBetween(from: Manifest, to: Manifest): Changes {
  const transition = planTransition(to, observedOf(from, from.infrastructure), { previous: from, upgrade: 'upgrade' })
  return changesBy(activitiesOf(transition).map(drawnActivity), from)
}

/** Finds what a plan changes. */
export function changesIn({ manifest, before, steps }: PlanDocument): Changes {
  const from = { ...manifest, ...before }
  // Of other targets nothing is known that could be drawn.
  const places = [...placedIn(from), ...placedIn(manifest)].filter(({ mapping }) =>
    manifest.infrastructure.has(mapping.target),
  )
  const known = new Map<string, Placed>(places.map((one) => [mappingIdOf(one.mapping), one]))
  const drawn = steps.flatMap(({ key, target, container, activity, why, moved }): readonly DrawnStep[] => {
    const placed = known.get(`${target} ${container} ${key}`)
    return placed === undefined ? [] : [{ ...placed, activity, why, moved }]
  })
  return changesBy(drawn, from)
}

function drawnActivity(activity: Activity): DrawnStep {
  const { kind, reasons, mapping, service } = activity
  const { moved } = traitsOf(KINDS, activity)
  const move = reasons.find((reason) => reason.kind === 'moved')
  const why = reasons.map((reason) => renderReason(reason, moved))
  return { activity: kind, mapping, service, why, moved: move?.[moved] }
}

function changesBy(steps: readonly DrawnStep[], from: Manifest): Changes {
  const starts = steps.filter(({ activity }) => startsService(activity))
  const started = new Set(starts.map(positionOf))
  const stops = steps.filter(({ activity }) => stopsService(activity))
  const leaving = stops.filter((step) => !started.has(positionOf(step)))
  const stopped = new Set(stops.map(positionOf))
  const changes = [
    ...starts.map((step) => changeBy(step, stopped.has(positionOf(step)) ? 'replaced' : 'started')),
    ...leaving.map((step) => changeBy(step, 'stopped')),
  ]
  return { from, byInstance: new Map(changes), leaving, moves: movesBetween(leaving, starts) }
}

/** Text of a place with the name of its service, whatever its version. */
function positionOf({ mapping: { target, container }, service: { name } }: Placed): string {
  return `${target} ${container} ${name}`
}

const MOVED = { started: 'moved', replaced: 'replaced', stopped: 'gone' } as const

function changeBy({ mapping, why, moved }: DrawnStep, kind: keyof typeof MOVED): readonly [MappingId, Change] {
  const shown: ChangeKind = moved === undefined ? kind : MOVED[kind]
  return [mappingIdOf(mapping), { kind: shown, reasons: why }]
}

/** Connects where a service was with where it goes, which both steps tell. */
function movesBetween(leaving: readonly DrawnStep[], starts: readonly DrawnStep[]): readonly Edge[] {
  const arrivals = grouped(
    starts.flatMap((start) => (start.moved === undefined ? [] : [{ start, origin: originOf(start, start.moved) }])),
    ({ origin }) => origin,
  )
  const moves = leaving.flatMap((step) =>
    (arrivals.get(positionOf(step)) ?? []).map(({ start }): Edge => {
      return { from: mappingIdOf(step.mapping), to: mappingIdOf(start.mapping), kind: 'moves' }
    }),
  )
  return moves.sort((left, right) => compareText(left.from, right.from) || compareText(left.to, right.to))
}

function originOf({ service: { name } }: Placed, { target, container }: NonNullable<DrawnStep['moved']>): string {
  return `${target} ${container} ${name}`
}
