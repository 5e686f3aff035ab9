import type { AnyActivity } from '@davit/transition'

import { type LaneTerms, openLanes } from './lanes.ts'

/** Decides which activities may start, given those that have ended. Its cost is linear in activities and dependencies. */
export interface Schedule<One extends AnyActivity> {
  /** Activities that may start now, by what they wait for and the cores of their targets; they then count as started. */
  startable(): readonly One[]
  succeeded(activity: One): void
  /** Activities that wait for this one will never start. */
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
