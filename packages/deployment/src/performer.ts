import { DavitError, type Report } from '@davit/diagnostics'
import { type Manifest, type MappingId, mappingIdOf, type ProfileName } from '@davit/documents'
import {
  type ActivityDefinition,
  type ActivityRequest,
  type ActivityResult,
  definitionOf,
  performActivity,
} from '@davit/target'
import type { Activity } from '@davit/transition'

import { deactivateInstead } from './deactivate-instead.ts'
import type { Deployed } from '@davit/observation'

interface Terms {
  readonly profile: ProfileName
  readonly token: string
  readonly timeoutSeconds?: number | undefined
  readonly report: Report
}

/** Carries out activities on the machines: of services of the next manifest, and of those that were active before. */
export function performerFor(
  next: Manifest,
  { observed, places }: Deployed,
  terms: Terms,
): (activity: Activity) => Promise<ActivityResult> {
  const before = new Map(
    observed.map(({ mapping, definition }): [MappingId, ActivityDefinition | undefined] => [
      mappingIdOf(mapping),
      definition,
    ]),
  )
  const wanted = new Map(next.serviceMappings.map((mapping) => [mappingIdOf(mapping), mapping]))

  return async (activity) => {
    const { kind, mapping, reasons } = activity
    const place = places.get(mapping.target)
    if (place === undefined)
      throw new DavitError('no-target', `target '${mapping.target}' is not in the infrastructure`)
    const id = mappingIdOf(mapping)
    const placed = wanted.get(id)
    // What both know is described by the next manifest, as container properties may have changed; what is rolled back, as it was.
    const isNext = kind === 'activate' && placed !== undefined && !isRolledBack(reasons)
    const definition = isNext ? definitionOf(next, placed) : before.get(id)
    const request: ActivityRequest = {
      ...terms,
      activity: kind,
      mapping: { ...mapping, target: place.name },
      ...(definition === undefined ? {} : { definition }),
    }
    const first = await performActivity(place.machine, request)
    return deactivateInstead(place.machine, { request, next, activity, first, report: terms.report })
  }
}

function isRolledBack(reasons: Activity['reasons']): boolean {
  return reasons.some((reason) => reason.kind === 'rollback')
}
