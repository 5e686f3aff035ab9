/**
 * Activities that wait for free cores of targets, of which one activity may need several. Cores are assigned in the order of
 * requests, as far as all that an activity needs are free.
 */
export interface Lanes<One> {
  wait(activity: One): void
  /** Removes and returns the activities that get all of their cores now. */
  take(): readonly One[]
  giveBack(activity: One): void
}

export interface LaneTerms<One> {
  readonly coresOf: (lane: string) => number
  /** Targets of which an activity takes one core each; one that takes none begins at once. */
  readonly lanesOf: (activity: One) => readonly string[]
}

interface Lane<One> {
  readonly waiting: Set<One>
  free: number
}

export function openLanes<One>({ coresOf, lanesOf }: LaneTerms<One>): Lanes<One> {
  const lanes = new Map<string, Lane<One>>()
  /** Lanes in which an activity may have become possible. */
  const changed = new Set<Lane<One>>()
  /** Activities that need no core. */
  let free: One[] = []

  const laneOf = (name: string): Lane<One> => {
    const lane = lanes.get(name) ?? { waiting: new Set(), free: Math.max(1, coresOf(name)) }
    lanes.set(name, lane)
    return lane
  }
  const lanesFor = (activity: One) => [...new Set(lanesOf(activity))].map(laneOf)

  return {
    wait(activity) {
      const needed = lanesFor(activity)
      if (needed.length === 0) free.push(activity)
      for (const lane of needed) {
        lane.waiting.add(activity)
        changed.add(lane)
      }
    },
    take() {
      const taken = [...free, ...[...changed].flatMap((lane) => takeFrom(lane, lanesFor))]
      free = []
      changed.clear()
      return taken
    },
    giveBack(activity) {
      for (const lane of lanesFor(activity)) {
        lane.free += 1
        changed.add(lane)
      }
    },
  }
}

/** Takes activities from a lane. One that also waits for another lane stays, and does not block those behind it. */
function takeFrom<One>(lane: Lane<One>, lanesFor: (activity: One) => readonly Lane<One>[]): readonly One[] {
  const taken: One[] = []
  for (const activity of lane.waiting) {
    if (lane.free === 0) break
    const needed = lanesFor(activity)
    if (needed.some(({ free }) => free === 0)) continue
    for (const one of needed) {
      one.free -= 1
      one.waiting.delete(activity)
    }
    taken.push(activity)
  }
  return taken
}
