import { DavitError, ExitStatus } from '@davit/diagnostics'
import { isSamePlace } from '@davit/target'
import { activitiesOf, type Activity, type Transition } from '@davit/transition'

import type { Deployed, Neighbour } from '@davit/observation'

/** Refuses to put a package into a container where another deployment has it: each would stop what the other started. */
export function refuseConflicts(transition: Transition, deployed: Deployed): void {
  const neighbours = byIdentity(deployed.neighbours)
  const activations = activitiesOf(transition).filter(({ kind }) => kind === 'activate')
  const conflicts = activations.flatMap((activity) => {
    const other = neighbourOf(activity, deployed, neighbours)
    return other === undefined ? [] : [{ ...activity, other: other.record }]
  })
  if (conflicts.length === 0) return
  const profiles = [...new Set(conflicts.map(({ other }) => `'${other.profile}'`))].join(', ')
  throw new DavitError('conflict', 'another deployment has services of this manifest on the same target', {
    exitStatus: ExitStatus.failed,
    diagnostics: conflicts.map(({ other, mapping, service }) => ({
      severity: 'error',
      message: `'${other.name || other.pkg}' of profile '${other.profile}' has the same package as '${service.name}' in '${mapping.container}' on '${mapping.target}'`,
    })),
    hint: `nothing was done; remove them from profile ${profiles} first, or deploy to that profile`,
  })
}

function neighbourOf(
  { mapping, service }: Activity,
  { places }: Deployed,
  neighbours: ReadonlyMap<string, readonly Neighbour[]>,
): Neighbour | undefined {
  const place = places.get(mapping.target)
  if (place === undefined) return undefined
  const candidates = neighbours.get(identityOf({ ...mapping, target: place.name, pkg: service.pkg })) ?? []
  return candidates.find(({ machine }) => isSamePlace(machine.facts, place.machine.facts))
}

function byIdentity(neighbours: readonly Neighbour[]): ReadonlyMap<string, Neighbour[]> {
  const table = new Map<string, Neighbour[]>()
  for (const neighbour of neighbours) {
    const identity = identityOf(neighbour.record)
    table.set(identity, [...(table.get(identity) ?? []), neighbour])
  }
  return table
}

function identityOf(place: { readonly target: string; readonly container: string; readonly pkg: string }): string {
  return `${place.target} ${place.container} ${place.pkg}`
}
