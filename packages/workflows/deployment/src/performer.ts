import { DavitError, type Report } from '@davit/diagnostics'
import type { Manifest, MappingId, ProfileName } from '@davit/documents'
import type { Deployed } from '@davit/observation'
import {
  type ActivityDefinition,
  type ActivityRequest,
  type ActivityResult,
  definitionOf,
  performActivity,
  type ShellTarget,
} from '@davit/target'
import { type Activity, type ActivityKind, type Deactivation, identityOf, targetLabelOf } from '@davit/transition'

import { deactivateInstead } from './deactivate-instead.ts'

export interface PerformerTerms {
  readonly profile: ProfileName
  readonly token: string
  readonly timeoutSeconds?: number | undefined
  readonly report: Report
}

/** Where an activity is performed, and what is known about its service. */
interface Scene {
  readonly place: ShellTarget
  readonly next: Manifest
  readonly recorded: ReadonlyMap<MappingId, ActivityDefinition | undefined>
  readonly terms: PerformerTerms
}

/** Functions that perform activities, by kind. */
const PERFORMERS: {
  readonly [Kind in ActivityKind]: (
    activity: Extract<Activity, { readonly kind: Kind }>,
    scene: Scene,
  ) => Promise<ActivityResult>
} = {
  activate: callModule,
  deactivate,
}

/** Makes the function that performs activities on the machines, for services of the next manifest and those active before. */
export function performerFor(
  next: Manifest,
  { observed, places }: Deployed,
  terms: PerformerTerms,
): (activity: Activity) => Promise<ActivityResult> {
  const recorded = new Map(observed.map((one) => [identityOf(one), one.definition] as const))
  return async (activity) => {
    const target = targetLabelOf(activity)
    const place = places.get(target)
    if (place === undefined) throw new DavitError('no-target', `target '${target}' is not in the infrastructure`)
    const perform = PERFORMERS[activity.kind] as (activity: Activity, scene: Scene) => Promise<ActivityResult>
    return perform(activity, { place, next, recorded, terms })
  }
}

async function callModule(activity: Activity, scene: Scene): Promise<ActivityResult> {
  return performActivity(scene.place.machine, requestOf(activity, scene))
}

async function deactivate(activity: Deactivation, scene: Scene): Promise<ActivityResult> {
  const first = await callModule(activity, scene)
  if (first.kind !== 'failed' || activity.otherwise === 'nothing') return first
  const { next, place, terms } = scene
  const request = requestOf(activity, scene)
  return deactivateInstead(place.machine, { request, next, activity, first, report: terms.report })
}

/** Makes a request, which describes the service as next or as recorded: container properties, for example, may have changed. */
function requestOf(activity: Activity, { place, next, recorded, terms }: Scene): ActivityRequest {
  const { kind, mapping } = activity
  const definition = activity.definition === 'next' ? definitionOf(next, mapping) : recorded.get(identityOf(activity))
  const request = { ...terms, activity: kind, mapping: { ...mapping, target: place.name } }
  return definition === undefined ? request : { ...request, definition }
}
