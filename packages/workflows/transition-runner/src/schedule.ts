import type { AnyActivity } from '@davit/transition'

import { type LaneTerms, openLanes } from './lanes.ts'

/** What may run when. It grows by what ends, costs as much as there are activities and edges, and does nothing itself. */
export interface Schedule<One extends AnyActivity> {
  /** What everything before it and the cores of its targets allow to start now; it then counts as started. */
  startable(): readonly One[]
  succeeded(activity: One): void
  /** What waits for it will never start. */
  failed(activity: One): void
}

export function scheduleOf<One extends AnyActivity>(activities: readonly One[], terms: LaneTerms<One>): Schedule<One> {
  const lanes = openLanes(terms)
  const missing = new Map(activities.map(({ id, waitsFor }) => [id, waitsFor.length]))
  const dependants = dependantsOf(activities)
  for (const activity of activities) if (activity.waitsFor.length === 0) lanes.wait(activity)

  return {
    startable: () => lanes.take(),
    succeeded(activity) {
      lanes.giveBack(activity)
      for (const dependant of dependants.get(activity.id) ?? []) {
        const left = (missing.get(dependant.id) ?? 0) - 1
        missing.set(dependant.id, left)
        if (left === 0) lanes.wait(dependant)
      }
    },
    failed: (activity) => lanes.giveBack(activity),
  }
}

function dependantsOf<One extends AnyActivity>(activities: readonly One[]): ReadonlyMap<string, readonly One[]> {
  const dependants = new Map<string, One[]>(activities.map(({ id }) => [id, []]))
  for (const activity of activities) {
    for (const id of activity.waitsFor) dependants.get(id)?.push(activity)
  }
  return dependants
}
