/** Who waits for cores of targets; an activity may need one of several. Gives them out in the order of asking, as far as they are free. */
export interface Lanes<One> {
  wait(activity: One): void
  /** What gets all of its cores now. */
  take(): readonly One[]
  giveBack(activity: One): void
}

export interface LaneTerms<One> {
  readonly coresOf: (lane: string) => number
  /** The targets of which an activity takes a core each. */
  readonly lanesOf: (activity: One) => readonly string[]
}

interface Lane<One> {
  readonly waiting: Set<One>
  free: number
}

export function openLanes<One>({ coresOf, lanesOf }: LaneTerms<One>): Lanes<One> {
  const lanes = new Map<string, Lane<One>>()
  /** Where something may have become possible. */
  const changed = new Set<Lane<One>>()

  const laneOf = (name: string): Lane<One> => {
    const lane = lanes.get(name) ?? { waiting: new Set(), free: Math.max(1, coresOf(name)) }
    lanes.set(name, lane)
    return lane
  }
  const lanesFor = (activity: One) => [...new Set(lanesOf(activity))].map(laneOf)

  return {
    wait(activity) {
      for (const lane of lanesFor(activity)) {
        lane.waiting.add(activity)
        changed.add(lane)
      }
    },
    take() {
      const taken = [...changed].flatMap((lane) => takeFrom(lane, lanesFor))
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

/** What waits for another lane as well stays, and does not keep the others. */
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
