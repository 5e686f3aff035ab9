import type { MappingId } from '@davit/documents'

import type {
  Activation,
  Activity,
  Deactivation,
  Restoring,
  Snapshotting,
  StatefulService,
  Transfer,
} from './activity.ts'
import type { Arranged } from './arrangement.ts'
import { byIdentity, chosen, identityOf, type PlacedService, type Placements } from './placed-service.ts'
import { placeOf, type Reason } from './reason.ts'
import type { StateMove, StateMoves } from './state-moves.ts'

export interface StatePlan {
  readonly moves: readonly StateMove[]
  readonly pending: StateMoves['pending']
  /** Mappings whose modules restore state before they activate. */
  readonly restoresFirst: ReadonlySet<MappingId>
}

export const NO_STATE: StatePlan = { moves: [], pending: [], restoresFirst: new Set() }

/** Services that are stopped, and those whose state is taken although nothing has to be stopped. */
export function withResting(outgoing: Placements, { moves }: StatePlan): Placements {
  return union(
    outgoing,
    moves.flatMap(({ from }) => from ?? []),
  )
}

/** Services that are started, and those whose state is restored although nothing has to be started. */
export function withRestored(incoming: Placements, { moves, pending }: StatePlan): Placements {
  return union(incoming, [...moves.flatMap(({ to }) => to ?? []), ...pending])
}

function union(table: Placements, more: readonly PlacedService[]): Placements {
  return new Map([...byIdentity(more), ...table])
}

/** Services in the order in which they are stopped, and in which they are started, with what stops and starts them. */
export interface StoppingAndStarting {
  readonly stopping: readonly Arranged<PlacedService>[]
  readonly deactivations: ReadonlyMap<MappingId, Deactivation>
  readonly starting: readonly Arranged<PlacedService>[]
  readonly activations: ReadonlyMap<MappingId, Activation>
}

/**
 * Returns the phases of a plan, with what moves state. A snapshot is taken of what is at rest, while everything that the service
 * depends on is still up; restoring is done before anything that depends on the service is activated.
 */
export function phasesWithState(plan: StoppingAndStarting, state: StatePlan): readonly (readonly Activity[])[] {
  const transfers = state.moves.map(transferOf)
  return [stoppingPhase(plan, state), ...(transfers.length === 0 ? [] : [transfers]), startingPhase(plan, state)]
}

/** Whatever waits for a service to be deactivated also waits for the snapshot of its state. */
function stoppingPhase({ stopping, deactivations }: StoppingAndStarting, { moves }: StatePlan): readonly Activity[] {
  const snapshots = new Map(moves.flatMap(snapshotOf).map((one) => [identityOf(one), one]))
  const endsOf = endings(deactivations, snapshots)
  return stopping.flatMap(({ id, waitsFor }): readonly Activity[] => {
    const deactivation = deactivations.get(id)
    const snapshot = snapshots.get(id)
    const ends = endsOf(waitsFor)
    if (deactivation === undefined) return snapshot === undefined ? [] : [{ ...snapshot, waitsFor: ends }]
    const stopped = { ...deactivation, waitsFor: ends }
    return snapshot === undefined ? [stopped] : [stopped, { ...snapshot, waitsFor: [deactivation.id] }]
  })
}

/** Whatever waits for a service to be activated also waits for its state to be restored. */
function startingPhase(plan: StoppingAndStarting, { moves, pending, restoresFirst }: StatePlan): readonly Activity[] {
  const { starting, activations } = plan
  const restores = new Map(
    [...moves.flatMap(restoreOf), ...pending.map(pendingRestore)].map((one) => [identityOf(one), one]),
  )
  const isFirst = (id: MappingId) => restoresFirst.has(id) && activations.has(id)
  const endsOf = endings(
    activations,
    chosen(restores, (id) => !isFirst(id)),
  )
  return starting.flatMap(({ id, waitsFor }): readonly Activity[] => {
    const activation = activations.get(id)
    const restore = restores.get(id)
    const ends = endsOf(waitsFor)
    if (activation === undefined) return restore === undefined ? [] : [{ ...restore, waitsFor: ends }]
    if (restore === undefined) return [{ ...activation, waitsFor: ends }]
    return isFirst(id)
      ? [
          { ...restore, waitsFor: ends },
          { ...activation, waitsFor: [...ends, restore.id] },
        ]
      : [
          { ...activation, waitsFor: ends },
          { ...restore, waitsFor: [activation.id] },
        ]
  })
}

/** Returns the ids of the activities with which services are done: those that stop or start them, then those on their state. */
function endings(...tables: readonly ReadonlyMap<MappingId, Activity>[]) {
  return (ids: readonly MappingId[]): readonly string[] =>
    tables.flatMap((table) => ids.flatMap((id) => table.get(id)?.id ?? []))
}

function snapshotOf({ from, to }: StateMove): readonly Snapshotting[] {
  if (from === undefined) return []
  return [
    {
      ...statefulPart(from),
      id: `snapshot ${identityOf(from)}`,
      kind: 'snapshot',
      definition: 'recorded',
      waitsFor: [],
      reasons: [reasonOf({ from, to })],
      undo: undefined,
    },
  ]
}

function transferOf({ from, to }: StateMove): Transfer {
  const place = (from ?? to) as StatefulService
  const ids = [from, to].flatMap((one) => (one === undefined ? [] : [identityOf(one)]))
  return {
    ...statefulPart(place),
    id: `transfer ${ids.join(' to ')}`,
    kind: 'transfer',
    to: to === undefined ? undefined : statefulPart(to),
    isKept: from === undefined,
    waitsFor: [],
    reasons: [reasonOf({ from, to })],
    undo: undefined,
  }
}

function restoreOf({ from, to }: StateMove): readonly Restoring[] {
  return to === undefined ? [] : [restoring(to, { snapshot: undefined, reason: reasonOf({ from, to }) })]
}

function pendingRestore({ snapshot, ...one }: StatePlan['pending'][number]): Restoring {
  return restoring(one, { snapshot, reason: { kind: 'not-restored' } })
}

function restoring(
  one: StatefulService,
  { snapshot, reason }: { snapshot: string | undefined; reason: Reason },
): Restoring {
  return {
    ...statefulPart(one),
    id: `restore ${identityOf(one)}`,
    kind: 'restore',
    definition: 'next',
    snapshot,
    waitsFor: [],
    reasons: [reason],
    undo: undefined,
  }
}

function reasonOf({ from, to }: StateMove): Reason {
  if (from === undefined) return { kind: 'kept' }
  return to === undefined ? { kind: 'removed' } : { kind: 'moved', from: placeOf(from), to: placeOf(to) }
}

function statefulPart({ mapping, service, recordedAs, component }: StatefulService): StatefulService {
  return { mapping, service, component, ...(recordedAs === undefined ? {} : { recordedAs }) }
}
