import { DavitError, ExitStatus, type Message } from '@davit/diagnostics'
import { type Manifest, mappingIdOf, type SnapshotMapping, type TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'
import { hasBeenUp } from '@davit/target-runtime'

import type { StatefulService } from './activity.ts'
import { say } from './messages.ts'
import type { ObservedMapping } from './observed-mapping.ts'
import { targetLabelOf } from './placed-service.ts'

/** State that has to be somewhere else before a service is activated there, or that is kept because its service is removed. */
export interface StateMove {
  /** Undefined if the state is that which the coordinator keeps of an earlier deployment. */
  readonly from: StatefulService | undefined
  readonly to: StatefulService | undefined
}

export interface StateSituation {
  readonly next: Manifest
  readonly observed: readonly ObservedMapping[]
  /** Manifest of the last generation. */
  readonly previous: Manifest | undefined
  /** Targets that could not be observed. */
  readonly unreachable: ReadonlySet<TargetName>
  /** Targets that know nothing of the deployment: whatever the last generation had there is lost. */
  readonly blank: ReadonlySet<TargetName>
}

export interface StateMoves {
  readonly moves: readonly StateMove[]
  /** Services whose state an earlier run has transferred, but not restored. */
  readonly pending: readonly (StatefulService & { readonly snapshot: string })[]
  /** Services that begin without state, since nothing is known of any. */
  readonly fresh: readonly StatefulService[]
  /** State on targets that are not in the infrastructure any more. */
  readonly skipped: readonly Message[]
}

/**
 * Finds out which state has to move. State belongs to a component in a container of a target. It stays where it is wanted; otherwise it
 * goes to where the same component, or another version of the same service, has none yet.
 */
export function stateMovesOf(situation: StateSituation): StateMoves {
  const { next, unreachable, blank } = situation
  const wanted = new Map(statefulServices(next).map((one) => [placeOf(one), one]))
  const recorded = recordedState(situation.observed)
  const previous = previousState(situation)
  const before = new Set(previous.map(placeOf))
  const known = new Map([...previous, ...recorded].map((one) => [placeOf(one), one]))
  const pending = pendingIn(situation.observed, wanted)
  // Where an instance has served that no manifest mentions, a run was cut off, or another coordinator was at work.
  const elsewhere = recorded.filter((one) => hasServed(one) && !wanted.has(placeOf(one)) && !before.has(placeOf(one)))
  const inPlace = previous.filter(
    (one) => !blank.has(one.mapping.target) && !elsewhere.some((other) => isKin(one, other)),
  )
  const settled = new Set([...inPlace, ...recorded.filter(hasServed), ...pending].map(placeOf))

  const leaving = [...known.values()].filter((one) => !wanted.has(placeOf(one)) && !staysWithoutState(one, next))
  const away = leaving.filter((one) => !isGone(one, next))
  const incoming = [...wanted.values()].filter(
    (one) => !settled.has(placeOf(one)) && !hasOwnState(one, situation) && !unreachable.has(one.mapping.target),
  )
  const moves = movesTo(incoming, away)
  const moved = new Set(moves.flatMap(({ from, to }) => [from, to]))
  // An instance that was there before has not taken over anything.
  const isDone = (one: StatefulService) =>
    !recorded.some((other) => other === one) &&
    [...wanted.values()].some((to) => settled.has(placeOf(to)) && !before.has(placeOf(to)) && isKin(one, to))
  const kept = away.filter((one) => !moved.has(one) && !unreachable.has(one.mapping.target) && !isDone(one))
  refuseUnreachable(moves, unreachable)
  return {
    moves: [...moves, ...kept.map((from) => ({ from, to: undefined }))],
    pending,
    fresh: incoming.filter((to) => !moved.has(to)),
    skipped: leaving.filter((one) => isGone(one, next)).map(skippedMessage),
  }
}

/** What became of the state of one manifest in the next. */
export interface StateChange {
  /** State that another instance takes over. Both are there. */
  readonly moved: readonly { readonly from: StatefulService; readonly to: StatefulService }[]
  /** State that was left behind, including that which another instance takes over. */
  readonly away: readonly StatefulService[]
  /** Instances that are new in their place, including those that take over the state of another one. */
  readonly incoming: readonly StatefulService[]
}

/** Compares the state of two manifests, whatever the targets report. */
export function stateBetween(old: Manifest, next: Manifest): StateChange {
  const before = new Map(statefulServices(old).map((one) => [placeOf(one), one]))
  const after = new Map(statefulServices(next).map((one) => [placeOf(one), one]))
  const away = [...before.values()].filter((one) => !after.has(placeOf(one)) && !staysWithoutState(one, next))
  const incoming = [...after.values()].filter((one) => !before.has(placeOf(one)))
  const there = movesTo(
    incoming,
    away.filter((one) => !isGone(one, next)),
  )
  const others = incoming.filter((one) => !there.some(({ to }) => to === one))
  return { moved: [...there, ...movesTo(others, away)], away, incoming }
}

/** Pairs new instances with those that leave, one to one as far as possible. */
function movesTo(incoming: readonly StatefulService[], away: readonly StatefulService[]): StateChange['moved'] {
  const taken = new Set<StatefulService>()
  return incoming.flatMap((to) => {
    const from =
      sourceOf(
        to,
        away.filter((one) => !taken.has(one)),
      ) ?? sourceOf(to, away)
    if (from === undefined) return []
    taken.add(from)
    return [{ from, to }]
  })
}

/** Whether its target was removed from the infrastructure. */
function isGone({ mapping, recordedAs }: StatefulService, { infrastructure }: Manifest): boolean {
  return recordedAs === undefined && !infrastructure.has(mapping.target)
}

/** Message about state on a target that was removed from the infrastructure. */
export function skippedMessage({ service, mapping }: StatefulService): Message {
  return say('state-skipped', { service: service.name, target: mapping.target })
}

/** Identity of a state. */
function placeOf(one: StatefulService): string {
  return `${targetLabelOf(one)} ${one.mapping.container} ${one.component}`
}

/** The services of a manifest whose state moves with them. */
export function statefulServices(manifest: Manifest): readonly StatefulService[] {
  return manifest.snapshotMappings.flatMap((mapping) => statefulIn(manifest, mapping) ?? [])
}

function previousState({ previous }: StateSituation): readonly StatefulService[] {
  return previous === undefined ? [] : statefulServices(previous)
}

type RecordedState = ObservedMapping & StatefulService

function recordedState(observed: readonly ObservedMapping[]): readonly RecordedState[] {
  return observed.flatMap((one) => (one.component === undefined ? [] : [{ ...one, component: one.component }]))
}

/**
 * Whether somebody may have been served with the state, so that it is the true one. A service that is being deactivated was active
 * before, or has at least what it was restored from.
 */
function hasServed({ state, toRestore }: RecordedState): boolean {
  return hasBeenUp(state) && toRestore === undefined
}

/** Whether the service has served from here before, when its state did not yet move with it. */
function hasOwnState(one: StatefulService, { observed }: StateSituation): boolean {
  return observed.some(
    (other) =>
      other.component === undefined &&
      hasBeenUp(other.state) &&
      other.service.name === one.service.name &&
      other.mapping.container === one.mapping.container &&
      targetLabelOf(other) === targetLabelOf(one),
  )
}

/** Wanted services whose state an earlier run has brought there, but not restored. */
function pendingIn(
  observed: readonly ObservedMapping[],
  wanted: ReadonlyMap<string, StatefulService>,
): StateMoves['pending'] {
  return recordedState(observed).flatMap(({ toRestore, ...one }) => {
    const there = wanted.get(placeOf(one))
    return toRestore === undefined || there === undefined ? [] : [{ ...there, snapshot: toRestore }]
  })
}

function statefulIn({ services }: Manifest, { component, ...mapping }: SnapshotMapping): StatefulService | undefined {
  const service = services.get(mapping.service)
  return service === undefined ? undefined : { mapping, service, component }
}

/** Whether a service stays where it is, only that its state no longer moves with it. */
function staysWithoutState(one: StatefulService, { serviceMappings }: Manifest): boolean {
  return (
    one.recordedAs === undefined && serviceMappings.some((mapping) => mappingIdOf(mapping) === mappingIdOf(one.mapping))
  )
}

const KINSHIPS: readonly ((one: StatefulService, other: StatefulService) => boolean)[] = [
  (one, other) => one.mapping.container === other.mapping.container && one.component === other.component,
  (one, other) => one.service.name === other.service.name && one.service.type === other.service.type,
]

/** Whether nobody was served with it yet, so that it is not the true one if there is another. */
function isUnserved(one: StatefulService | RecordedState): boolean {
  return 'state' in one && !hasServed(one)
}

/** The state that a new instance takes over; a later instance of a redundant service may take over the same. */
function sourceOf(to: StatefulService, away: readonly StatefulService[]): StatefulService | undefined {
  const sorted = away.toSorted(
    (one, other) => Number(isUnserved(one)) - Number(isUnserved(other)) || compareText(placeOf(one), placeOf(other)),
  )
  for (const kinship of KINSHIPS) {
    const found = sorted.find((from) => kinship(from, to))
    if (found !== undefined) return found
  }
  return undefined
}

function isKin(one: StatefulService, other: StatefulService): boolean {
  return KINSHIPS.some((kinship) => kinship(one, other))
}

function refuseUnreachable(moves: readonly StateMove[], unreachable: ReadonlySet<TargetName>): void {
  const stuck = moves.find(({ from }) => from !== undefined && unreachable.has(from.mapping.target))
  if (stuck?.from === undefined) return
  const { service, mapping } = stuck.from
  throw new DavitError(
    'state-unreachable',
    `the state of '${service.name}' is on '${mapping.target}', which is skipped`,
    {
      exitStatus: ExitStatus.unreachable,
      hint: `make '${mapping.target}' reachable, or leave '${service.name}' there; --no-migration begins without its state`,
    },
  )
}
