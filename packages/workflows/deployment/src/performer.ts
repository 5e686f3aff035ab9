import { DavitError, type Report } from '@davit/diagnostics'
import type { Manifest, MappingId, ProfileName } from '@davit/documents'
import {
  type ActivityDefinition,
  type ActivityRequest,
  type ActivityResult,
  definitionOf,
  type DirectSsh,
  type MachineNeed,
  performActivity,
  type ShellTarget,
} from '@davit/target'
import type { StateMachines } from '@davit/state-runner'
import { startsService, type Verb } from '@davit/target-runtime'
import {
  activitiesOf,
  type Activity,
  type ActivityKind,
  identityOf,
  isVerbActivity,
  targetLabelOf,
  type Transition,
  type VerbActivity,
} from '@davit/transition'

import { deactivateInstead } from './deactivate-instead.ts'
import type { Plan } from './plan-for.ts'
import {
  definitionToRestore,
  definitionToSave,
  restoreSnapshot,
  type StateScene,
  takeSnapshot,
  transferSnapshot,
} from './state/state-performers.ts'

export interface PerformerTerms {
  readonly profile: ProfileName
  readonly token: string
  readonly timeoutSeconds?: number | undefined
  readonly report: Report
  readonly signal: AbortSignal
  /** Last generation, which describes services without a record. */
  readonly previous: Manifest | undefined
  /** Undefined if no state moves. */
  readonly machines?: StateMachines | undefined
  /** With it, state travels from target to target where that is possible. */
  readonly direct?: DirectSsh | undefined
}

type PlanToPerform = Pick<Plan, 'deployed' | 'transition' | 'restoresFirst'>

/** Where an activity is performed, and what is known about its service. */
interface Scene {
  readonly place: ShellTarget
  readonly next: Manifest
  readonly recorded: ReadonlyMap<MappingId, ActivityDefinition | undefined>
  readonly terms: PerformerTerms
  readonly state: StateScene | undefined
  /** The snapshot that has to be restored once a mapping is activated. */
  readonly toRestore: (id: MappingId) => string | undefined
}

/** Functions that perform activities other than verbs, by kind. */
const PERFORMERS: {
  readonly [Kind in Exclude<ActivityKind, Verb>]: (
    activity: Extract<Activity, { readonly kind: Kind }>,
    scene: Scene,
  ) => Promise<ActivityResult>
} = {
  snapshot: onState(takeSnapshot),
  transfer: onState(transferSnapshot),
  restore: onState(restoreSnapshot),
}

function onState<One extends Activity>(perform: (activity: One, state: StateScene) => Promise<ActivityResult>) {
  return async (activity: One, { state }: Scene) => {
    if (state === undefined) throw new Error(`the plan has a step '${activity.kind}', but no state is to be moved`)
    return perform(activity, state)
  }
}

export interface Performer {
  /** What the modules of a plan are to be called with; undoing it needs nothing else. */
  needs(): Promise<readonly MachineNeed[]>
  perform(activity: Activity): Promise<ActivityResult>
}

/** Makes what performs the activities of a plan on the machines, for services of the next manifest and those active before. */
export function performerFor(
  next: Manifest,
  { deployed: { observed, places }, transition, restoresFirst }: PlanToPerform,
  terms: PerformerTerms,
): Performer {
  const recorded = new Map(observed.map((one) => [identityOf(one), one.definition] as const))
  const { machines } = terms
  const arrived = arrivedEarlier(transition)
  const told = { arrived, activated: activatedIn(transition), missing: new Set<MappingId>() }
  const state = machines === undefined ? undefined : { ...terms, machines, next, recorded, places, ...told }
  const toRestore = (id: MappingId) => (restoresFirst.has(id) ? undefined : arrived.get(id))
  const sceneOf = (activity: Activity): Scene => {
    const target = targetLabelOf(activity)
    const place = places.get(target)
    if (place === undefined) throw new DavitError('no-target', `target '${target}' is not in the infrastructure`)
    return { place, next, recorded, terms, state, toRestore }
  }
  return {
    async needs() {
      const needs = activitiesOf(transition).map((activity) => needOf(activity, sceneOf(activity)))
      return (await Promise.all(needs)).flat()
    },
    async perform(activity) {
      if (isVerbActivity(activity)) return performVerb(activity, sceneOf(activity))
      const perform = PERFORMERS[activity.kind] as (activity: Activity, scene: Scene) => Promise<ActivityResult>
      return perform(activity, sceneOf(activity))
    },
  }
}

function activatedIn(transition: Transition): ReadonlySet<MappingId> {
  return new Set(
    activitiesOf(transition)
      .filter(({ kind }) => startsService(kind))
      .map(identityOf),
  )
}

/** Snapshots that earlier runs have brought to their machines. */
function arrivedEarlier(transition: Transition): Map<MappingId, string> {
  const restores = activitiesOf(transition).filter((one) => one.kind === 'restore')
  return new Map(restores.flatMap((one) => (one.snapshot === undefined ? [] : [[identityOf(one), one.snapshot]])))
}

async function needOf(activity: Activity, scene: Scene): Promise<readonly MachineNeed[]> {
  if (activity.kind === 'transfer') return []
  const { secrets } = scene.place.machine
  return [{ mapping: activity.mapping, definition: await definitionFor(activity, scene), secrets }]
}

/** What the module of an activity is called with. */
async function definitionFor(
  activity: Exclude<Activity, { readonly kind: 'transfer' }>,
  { next, recorded, state }: Scene,
): Promise<ActivityDefinition | undefined> {
  if (isVerbActivity(activity))
    return activity.definition === 'next' ? definitionOf(next, activity.mapping) : recorded.get(identityOf(activity))
  if (state === undefined) return undefined
  return activity.kind === 'snapshot' ? definitionToSave(activity, state) : definitionToRestore(activity, state)
}

async function performVerb(activity: VerbActivity, scene: Scene): Promise<ActivityResult> {
  const { next, place, terms } = scene
  const request = requestOf(activity, scene)
  const first = await performActivity(place.machine, request)
  if (first.kind !== 'failed' || !('otherwise' in activity) || activity.otherwise === 'nothing') return first
  return deactivateInstead(place.machine, { request, next, activity, first, report: terms.report })
}

/** Makes a request, which describes the service as next or as recorded: container properties, for example, may have changed. */
function requestOf(activity: VerbActivity, { place, next, recorded, terms, toRestore }: Scene): ActivityRequest {
  const { kind, mapping } = activity
  const snapshot = toRestore(identityOf(activity))
  const restored = snapshot === undefined ? {} : { toRestore: snapshot }
  const definition =
    activity.definition === 'next'
      ? { ...definitionOf(next, mapping), ...restored }
      : recorded.get(identityOf(activity))
  const { profile, token, timeoutSeconds } = terms
  const request = { profile, token, timeoutSeconds, activity: kind, mapping: { ...mapping, target: place.name } }
  return definition === undefined ? request : { ...request, definition }
}
