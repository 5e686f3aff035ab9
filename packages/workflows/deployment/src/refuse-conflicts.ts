import { DavitError, ExitStatus } from '@davit/diagnostics'
import { componentIn, type Manifest } from '@davit/documents'
import { isSamePlace } from '@davit/target'
import { activitiesOf, identityOf, type StatefulService, statefulServices, type Transition } from '@davit/transition'

import type { Deployed, Neighbour } from '@davit/observation'

/**
 * Refuses to put a package into a container where another deployment has it, since each would stop what the other started; and a
 * component whose state moves where there is one of the same name, since both would have the same state.
 */
export function refuseConflicts(next: Manifest, transition: Transition, deployed: Deployed): void {
  const stateful = statefulServices(next)
  refuseSharedState(stateful)
  const identities = new Set(stateful.map(identityOf))
  const neighbours = byPlace(deployed.neighbours)
  const activations = activitiesOf(transition).filter(({ kind }) => kind === 'activate')
  const conflicts = activations.flatMap((activity) => {
    const { mapping, service } = activity
    const place = deployed.places.get(mapping.target)
    if (place === undefined) return []
    const there = neighbours.get(placeOf({ ...mapping, target: place.name, pkg: service.pkg })) ?? []
    const other = there.find(
      ({ machine, record }) =>
        (record.pkg === service.pkg || identities.has(identityOf(activity))) &&
        isSamePlace(machine.facts, place.machine.facts),
    )
    return other === undefined ? [] : [{ ...activity, other: other.record }]
  })
  if (conflicts.length === 0) return
  const profiles = [...new Set(conflicts.map(({ other }) => `'${other.profile}'`))].join(', ')
  throw new DavitError('conflict', 'another deployment has services of this manifest on the same target', {
    exitStatus: ExitStatus.failed,
    diagnostics: conflicts.map(({ other, mapping, service }) => ({
      severity: 'error',
      message: `'${other.name || other.pkg}' of profile '${other.profile}' has the same ${other.pkg === service.pkg ? 'package' : 'state'} as '${service.name}' in '${mapping.container}' on '${mapping.target}'`,
    })),
    hint: `nothing was done; remove them from profile ${profiles} first, or deploy to that profile`,
  })
}

function byPlace(neighbours: readonly Neighbour[]): ReadonlyMap<string, readonly Neighbour[]> {
  const table = new Map<string, Neighbour[]>()
  for (const neighbour of neighbours) {
    const place = placeOf(neighbour.record)
    table.set(place, [...(table.get(place) ?? []), neighbour])
  }
  return table
}

/** A component in a container of a target; state belongs to it. */
function placeOf({
  target,
  container,
  pkg,
}: {
  readonly target: string
  readonly container: string
  readonly pkg: string
}) {
  return `${target} ${container} ${componentIn(pkg)}`
}

function refuseSharedState(services: readonly StatefulService[]): void {
  const first = new Map<string, StatefulService>()
  const shared = services.flatMap((one) => {
    const place = placeOf({ ...one.mapping, pkg: one.component })
    const other = first.get(place)
    if (other === undefined) first.set(place, one)
    return other === undefined ? [] : [{ ...one, other }]
  })
  if (shared.length === 0) return
  throw new DavitError('conflict', 'services of this manifest would have the same state', {
    exitStatus: ExitStatus.badDocument,
    diagnostics: shared.map(({ service, other, mapping, component }) => ({
      severity: 'error',
      message: `'${other.service.name}' and '${service.name}' are both the component '${component}' in '${mapping.container}' on '${mapping.target}'`,
    })),
    hint: 'state belongs to a component, which is named like its package: give the packages names of their own, or place the services on different targets',
  })
}
