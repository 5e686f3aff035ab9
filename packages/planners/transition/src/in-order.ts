import { inOrderOfNames } from '@davit/languages'

import type { Activity } from './activity.ts'
import { KINDS, traitsOf } from './kinds.ts'

/**
 * Puts the activities of a phase in an order that people follow, in which they can be done one by one: first those that wait for
 * nothing, then those that wait for these; by service and target among what may run at once.
 */
export function inOrder(phase: readonly Activity[]): readonly Activity[] {
  const waves = wavesOf(phase)
  const byName = inOrderOfNames(phase, (activity) => {
    const { subject, target } = traitsOf<Activity>(KINDS, activity)
    const { service, container } = subject(activity)
    return `${service} ${target(activity)} ${container}`
  })
  return byName.toSorted((left, right) => (waves.get(left.id) ?? 0) - (waves.get(right.id) ?? 0))
}

/** Numbers activities: each one has a higher number than those that it waits for, which come before it. */
function wavesOf(phase: readonly Activity[]): ReadonlyMap<string, number> {
  const waves = new Map<string, number>()
  for (const { id, waitsFor } of phase) {
    waves.set(
      id,
      waitsFor.reduce((last, other) => Math.max(last, (waves.get(other) ?? -1) + 1), 0),
    )
  }
  return waves
}
