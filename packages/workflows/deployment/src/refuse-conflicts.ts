import { DavitError, ExitStatus } from '@davit/diagnostics'
import { componentIn, type Manifest } from '@davit/documents'
import { isSamePlace } from '@davit/target'
import {
  activitiesOf,
  type Activity,
  identityOf,
  type StatefulService,
  statefulServices,
  type Transition,
} from '@davit/transition'

import type { Deployed, Neighbour } from '@davit/observation'
import { startsService, stopsService } from '@davit/target-runtime'

/**
 * Refuses to put a package into a container where another deployment has it, since each would stop what the other started; and a
 * component whose state moves where there is one of the same name, since both would have the same state. Refuses to stop a package
 * that another deployment has there as well: both have adopted it.
 */
export function refuseConflicts(next: Manifest, transition: Transition, deployed: Deployed): void {
  const stateful = statefulServices(next)
  refuseSharedState(stateful)
  const identities = new Set(stateful.map(identityOf))
  const conflictsOf = conflictsWith(deployed)
  const activities = activitiesOf(transition)
  const isSamePackage = ({ service }: Activity, { record }: Neighbour) => record.pkg === service.pkg
  refuseStopping(conflictsOf(ofKind(activities, stopsService), isSamePackage))
  refuseStarting(
    conflictsOf(
      ofKind(activities, startsService),
      (activity, other) => isSamePackage(activity, other) || identities.has(identityOf(activity)),
    ),
  )
}

interface Conflict {
  readonly activity: Activity
  readonly other: Neighbour['record']
}

function ofKind(activities: readonly Activity[], isWanted: (kind: string) => boolean): readonly Activity[] {
  return activities.filter(({ kind }) => isWanted(kind))
}

/** Finds the activities on a component that another deployment has in the same container of the same target. */
function conflictsWith({ neighbours, places }: Deployed) {
  const table = byPlace(neighbours)
  return (
    activities: readonly Activity[],
    isConflict: (activity: Activity, neighbour: Neighbour) => boolean,
  ): readonly Conflict[] =>
    activities.flatMap((activity) => {
      const { mapping, service } = activity
      const place = places.get(mapping.target)
      if (place === undefined) return []
      const there = table.get(placeOf({ ...mapping, target: place.name, pkg: service.pkg })) ?? []
      const other = there.find(
        (one) => isConflict(activity, one) && isSamePlace(one.machine.facts, place.machine.facts),
      )
      return other === undefined ? [] : [{ activity, other: other.record }]
    })
}

function refuseStarting(conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return
  throw new DavitError('conflict', 'another deployment has services of this manifest on the same target', {
    exitStatus: ExitStatus.failed,
    diagnostics: conflicts.map(({ activity: { mapping, service }, other }) => ({
      severity: 'error',
      message: `'${other.name || other.pkg}' of profile '${other.profile}' has the same ${other.pkg === service.pkg ? 'package' : 'state'} as '${service.name}' in '${mapping.container}' on '${mapping.target}'`,
    })),
    hint: `nothing was done; remove them from profile ${profilesIn(conflicts)} first, deploy to that profile, or give these services other names`,
  })
}

function refuseStopping(conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return
  const names = [...new Set(conflicts.map(({ activity }) => activity.service.name))]
  throw new DavitError('shared-service', 'this would stop services that another deployment has as well', {
    exitStatus: ExitStatus.failed,
    fields: { services: names },
    diagnostics: conflicts.map(({ activity: { mapping, service }, other }) => ({
      severity: 'error',
      message: `'${service.name}' in '${mapping.container}' on '${mapping.target}' is also '${other.name || other.pkg}' of profile '${other.profile}'`,
    })),
    hint: `nothing was done; 'davit-env ${names.map((name) => `--abandon ${name}`).join(' ')}' leaves them to profile ${profilesIn(conflicts)}, and does not stop them`,
  })
}

function profilesIn(conflicts: readonly Conflict[]): string {
  return [...new Set(conflicts.map(({ other }) => `'${other.profile}'`))].join(', ')
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
