import { type MappingId, mappingIdOf } from '@davit/documents'

import type {
  Activation,
  Activity,
  Deactivation,
  Restoring,
  Snapshotting,
  StatefulService,
  Transfer,
} from './activity.ts'
import { identityOf } from './placed-service.ts'
import { placeOf, type Reason } from './reason.ts'
import type { StateMove, StateMoves } from './state-moves.ts'

export interface StatePlan {
  readonly moves: readonly StateMove[]
  readonly pending: StateMoves['pending']
  /** Mappings whose modules restore state before they activate. */
  readonly restoresFirst: ReadonlySet<MappingId>
}

export const NO_STATE: StatePlan = { moves: [], pending: [], restoresFirst: new Set() }

/**
 * Adds to a plan what moves state. A snapshot is taken of what is at rest, while everything that the service depends on is still up;
 * restoring is done before anything that depends on the service is activated.
 */
export function withStateMoves(
  deactivations: readonly Deactivation[],
  activations: readonly Activation[],
  { moves, pending, restoresFirst }: StatePlan,
): readonly (readonly Activity[])[] {
  const down = new Set(deactivations.map(({ id }) => id))
  const snapshots = snapshotsOf(moves, down)
  const restores = [...moves.flatMap(restoreOf), ...pending.map(pendingRestore)]
  const transfers = moves.map(transferOf)
  return [
    [...deactivations.map((one) => afterSnapshots(one, snapshots)), ...snapshots],
    ...(transfers.length === 0 ? [] : [transfers]),
    activating(activations, restores, restoresFirst),
  ]
}

function snapshotsOf(moves: readonly StateMove[], down: ReadonlySet<string>): readonly Snapshotting[] {
  const snapshots = new Map<string, Snapshotting>()
  for (const { from, to } of moves) {
    if (from === undefined) continue
    const id = identityOf(from)
    const waitsFor = [`deactivate ${id}`].filter((other) => down.has(other as Deactivation['id']))
    snapshots.set(id, {
      ...statefulPart(from),
      id: `snapshot ${id}`,
      kind: 'snapshot',
      definition: 'recorded',
      waitsFor,
      reasons: [reasonOf({ from, to })],
      undo: undefined,
    })
  }
  return [...snapshots.values()]
}

/** Whatever waits for a service to be deactivated also waits for the snapshot of its state. */
function afterSnapshots(deactivation: Deactivation, snapshots: readonly Snapshotting[]): Deactivation {
  const taken = new Map(snapshots.map(({ id, waitsFor }) => [waitsFor[0], id]))
  const more = deactivation.waitsFor.flatMap((id) => taken.get(id) ?? [])
  return more.length === 0 ? deactivation : { ...deactivation, waitsFor: [...deactivation.waitsFor, ...more] }
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

/** Returns activations and restores with what they wait for. */
function activating(
  activations: readonly Activation[],
  restores: readonly Restoring[],
  restoresFirst: ReadonlySet<MappingId>,
): readonly Activity[] {
  const restored = new Map<string, Restoring>(restores.map((one) => [identityOf(one), one]))
  const waits = new Map<string, readonly string[]>(activations.map(({ id, waitsFor }) => [id, waitsFor]))
  const activationOf = (one: Restoring) => `activate ${identityOf(one)}`
  const isFirst = (one: Restoring) => restoresFirst.has(identityOf(one)) && waits.has(activationOf(one))
  const isAfter = (id: MappingId) => {
    const restore = restored.get(id)
    return restore === undefined || isFirst(restore) ? [] : [restore.id]
  }
  return [
    ...activations.map((one): Activation => {
      const restore = restored.get(identityOf(one))
      const before = one.service.dependsOn.map(mappingIdOf).flatMap(isAfter)
      const own = restore !== undefined && isFirst(restore) ? [restore.id] : []
      return before.length + own.length === 0
        ? one
        : { ...one, waitsFor: [...new Set([...one.waitsFor, ...before, ...own])] }
    }),
    ...restores.map((one): Restoring => {
      const before = waits.get(activationOf(one))
      if (before === undefined) return one
      return { ...one, waitsFor: isFirst(one) ? before : [activationOf(one)] }
    }),
  ]
}

function reasonOf({ from, to }: StateMove): Reason {
  if (from === undefined) return { kind: 'kept' }
  return to === undefined ? { kind: 'removed' } : { kind: 'moved', from: placeOf(from), to: placeOf(to) }
}

function statefulPart({ mapping, service, recordedAs, component }: StatefulService): StatefulService {
  return { mapping, service, component, ...(recordedAs === undefined ? {} : { recordedAs }) }
}
