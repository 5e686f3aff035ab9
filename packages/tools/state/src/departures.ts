import type { Departure } from '@davit/state-runner'
import type { StateChange, StatefulService } from '@davit/transition'

/** Finds the instances that have taken over the state of services. */
export function departuresOf(away: readonly StatefulService[], change: StateChange | undefined): readonly Departure[] {
  return away.map((from) => ({
    from,
    successors: (change?.moved ?? []).filter((one) => placeOf(one.from) === placeOf(from)).map(({ to }) => to),
  }))
}

function placeOf({ mapping, component }: StatefulService): string {
  return `${mapping.target} ${mapping.container} ${component}`
}
