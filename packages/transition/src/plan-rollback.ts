import { type Activity, type ActivityId, type ActivityKind, activityIdOf, type Transition } from './activity.ts'

/**
 * What undoes a transition of which some activities were begun, whether they succeeded or not: the last first, and
 * nothing starts again before everything new is gone.
 */
export function planRollback(transition: Transition, begun: ReadonlySet<ActivityId>): Transition {
  return {
    deactivations: undoing('deactivate', transition.activations, begun),
    activations: undoing('activate', transition.deactivations, begun),
    skipped: [],
    outdated: [],
  }
}

function undoing(kind: ActivityKind, activities: readonly Activity[], begun: ReadonlySet<ActivityId>): Activity[] {
  const undone = activities.filter(({ id, undoneBy }) => begun.has(id) && undoneBy === kind)
  const undoOf = new Map(undone.map(({ id, mapping }) => [id, activityIdOf(kind, mapping)]))
  const waitsFor = new Map<ActivityId, ActivityId[]>(undone.map(({ id }) => [id, []]))
  for (const { id, waitsFor: dependencies } of undone) {
    const undo = undoOf.get(id)
    if (undo !== undefined) for (const dependency of dependencies) waitsFor.get(dependency)?.push(undo)
  }
  return undone.reverse().map(({ id, mapping, service }) => ({
    id: activityIdOf(kind, mapping),
    kind,
    mapping,
    service,
    waitsFor: waitsFor.get(id) ?? [],
    reasons: [{ kind: 'rollback' }],
    undoneBy: 'nothing',
  }))
}
