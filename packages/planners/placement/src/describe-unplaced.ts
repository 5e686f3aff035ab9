import { atPath, type Diagnostic, quoted } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { grouped } from '@davit/languages'

import type { Obstacle } from './obstacles.ts'
import type { Unplaced } from './place-services.ts'

/** Says which service cannot be placed, and why no target can take it. `capacity` is the name of what counts. */
export function describeUnplaced(unplaced: Unplaced, capacity = 'capacity'): Diagnostic {
  const { service, type, obstacles, use } = unplaced
  const path = ['services', service]
  if (use === undefined) {
    const reasons = reasonsIn(obstacles, capacity)
    return atPath(path, `no target can take service ${quoted(service)} of type ${quoted(type)}`, reasons)
  }
  const message = `service ${quoted(service)} cannot be on target ${quoted(use.target)}, where ${quoted(use.dependant)} uses it`
  return atPath(path, message, obstacles.size === 0 ? 'there is no such target' : reasonsIn(obstacles, capacity))
}

function reasonsIn(obstacles: Unplaced['obstacles'], capacity: string): string {
  if (obstacles.size === 0) return 'the infrastructure has no targets'
  const groups = grouped(obstacles, ([, obstacle]) => reasonOf(obstacle, capacity))
  return [...groups].map(([reason, targets]) => `${listed(targets.map(([name]) => name))}: ${reason}`).join('; ')
}

function reasonOf(obstacle: Obstacle, capacity: string): string {
  switch (obstacle.kind) {
    case 'container':
      return `no container ${quoted(obstacle.container)}`
    case 'tags':
      return `no ${obstacle.missing.length === 1 ? 'tag' : 'tags'} ${obstacle.missing.map(quoted).join(', ')}`
    case 'unknown-capacity':
      return `no property ${quoted(capacity)} that is a number above zero`
    case 'full':
      return `${obstacle.left} left of ${quoted(capacity)}, but it takes ${obstacle.needed}`
  }
}

const MAX_LISTED = 5

function listed(names: readonly TargetName[]): string {
  const more = names.length - MAX_LISTED
  return `${names.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
