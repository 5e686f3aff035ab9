import { type MappingId, mappingIdOf } from '@davit/documents'

import type {
  Activation,
  Activity,
  AnyActivity,
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
    besides(deactivations, snapshots, (one) => `deactivate ${identityOf(one)}`).map((one) =>
      one.kind === 'deactivate' ? afterSnapshots(one, snapshots) : one,
    ),
    ...(transfers.length === 0 ? [] : [transfers]),
    activating(activations, restores, restoresFirst),
  ]
}

/** Puts each of the others behind the activity that it belongs to, or in front of all if there is none. */
function besides<One extends AnyActivity, Other extends StatefulService>(
  activities: readonly One[],
  others: readonly Other[],
  idOf: (other: Other) => string,
): readonly (One | Other)[] {
  const followers = new Map(others.map((other) => [idOf(other), other]))
  const ids = new Set(activities.map(({ id }) => id))
  const alone = others.filter((other) => !ids.has(idOf(other)))
  const placed = activities.flatMap((one): readonly (One | Other)[] => {
    const follower = followers.get(one.id)
    return follower === undefined ? [one] : [one, follower]
  })
  return [...alone, ...placed]
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
  const activationOf = (one: StatefulService) => `activate ${identityOf(one)}`
  const waits = new Map<string, readonly string[]>(activations.map(({ id, waitsFor }) => [id, waitsFor]))
  const isFirst = (one: Restoring) => restoresFirst.has(identityOf(one)) && waits.has(activationOf(one))
  const first = new Map<string, Restoring>(restores.filter(isFirst).map((one) => [identityOf(one), one]))
  const after = new Map<string, Restoring>(restores.filter((one) => !isFirst(one)).map((one) => [identityOf(one), one]))
  const activated = activations.map((one): Activation => {
    const needed = one.service.dependsOn.flatMap((dependency) => after.get(mappingIdOf(dependency))?.id ?? [])
    const own = first.get(identityOf(one))?.id ?? []
    return { ...one, waitsFor: [...new Set([...one.waitsFor, ...needed].concat(own))] }
  })
  const restored = [...after.values()].map((one): Restoring => {
    const activation = activationOf(one)
    return { ...one, waitsFor: waits.has(activation) ? [activation] : [] }
  })
  return besides(activated, restored, activationOf).flatMap((one): readonly Activity[] => {
    const restore = one.kind === 'activate' ? first.get(identityOf(one)) : undefined
    return restore === undefined ? [one] : [{ ...restore, waitsFor: waits.get(activationOf(restore)) ?? [] }, one]
  })
}

function reasonOf({ from, to }: StateMove): Reason {
  if (from === undefined) return { kind: 'kept' }
  return to === undefined ? { kind: 'removed' } : { kind: 'moved', from: placeOf(from), to: placeOf(to) }
}

function statefulPart({ mapping, service, recordedAs, component }: StatefulService): StatefulService {
  return { mapping, service, component, ...(recordedAs === undefined ? {} : { recordedAs }) }
}
