import type { TargetName } from '@davit/documents'
import type { Activity, ActivityId } from '@davit/transition'

/** What may run when. It grows by what ends, costs as much as there are activities and edges, and does nothing itself. */
export interface Schedule {
  /** What everything before it and the cores of its target allow to start now; it then counts as started. */
  startable(): readonly Activity[]
  succeeded(activity: Activity): void
  /** What waits for it will never start. */
  failed(activity: Activity): void
}

interface Lane {
  readonly ready: Activity[]
  started: number
  ended: number
  readonly cores: number
}

export function scheduleOf(activities: readonly Activity[], coresOf: (target: TargetName) => number): Schedule {
  const lanes = new Map<TargetName, Lane>()
  const changed = new Set<Lane>()
  const missing = new Map(activities.map(({ id, waitsFor }) => [id, waitsFor.length]))
  const dependants = dependantsOf(activities)

  const laneOf = ({ mapping: { target } }: Activity): Lane => {
    const lane = lanes.get(target) ?? { ready: [], started: 0, ended: 0, cores: Math.max(1, coresOf(target)) }
    lanes.set(target, lane)
    changed.add(lane)
    return lane
  }
  const getReady = (activity: Activity) => laneOf(activity).ready.push(activity)
  const end = (activity: Activity) => {
    laneOf(activity).ended += 1
  }

  for (const activity of activities) if (activity.waitsFor.length === 0) getReady(activity)

  return {
    startable() {
      const starting = [...changed].flatMap(takeFree)
      changed.clear()
      return starting
    },
    succeeded(activity) {
      end(activity)
      for (const dependant of dependants.get(activity.id) ?? []) {
        const left = (missing.get(dependant.id) ?? 0) - 1
        missing.set(dependant.id, left)
        if (left === 0) getReady(dependant)
      }
    },
    failed: end,
  }
}

function takeFree(lane: Lane): readonly Activity[] {
  const until = lane.ended + lane.cores
  const starting = lane.ready.slice(lane.started, until)
  lane.started += starting.length
  return starting
}

function dependantsOf(activities: readonly Activity[]): ReadonlyMap<ActivityId, Activity[]> {
  const dependants = new Map<ActivityId, Activity[]>(activities.map(({ id }) => [id, []]))
  for (const activity of activities) {
    for (const id of activity.waitsFor) dependants.get(id)?.push(activity)
  }
  return dependants
}
