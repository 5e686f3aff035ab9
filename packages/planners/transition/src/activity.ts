import type { Message } from '@davit/diagnostics'
import type { ManifestService, ServiceMapping } from '@davit/documents'
import { isVerb, type Verb } from '@davit/target-runtime'

import type { PlacedService } from './placed-service.ts'
import type { Reason } from './reason.ts'

/** One step of a plan. Each kind that is no verb has a row in `KINDS`, and one in the table of performers. */
export type Activity = VerbActivity | Snapshotting | Transfer | Restoring
export type ActivityKind = Activity['kind']

/** The fields of an activity that the planner and the runner use, whatever its kind. */
export interface AnyActivity {
  /** Unique within a transition. */
  readonly id: string
  readonly kind: string
  /** Ids of activities of the same phase that must succeed first. */
  readonly waitsFor: readonly string[]
  /** Why the activity is planned, for people only. Never empty. */
  readonly reasons: readonly Reason[]
  /** Activity that reverts this one, finished or not; undefined if there was no intact state before. */
  readonly undo: Pick<AnyActivity, 'id' | 'kind'> | undefined
}

/** An activity that changes the state of a record, by calling a lifecycle module. */
export type VerbActivity = { readonly [Kind in Verb]: Planned<ChangeBy<Kind>> }[Verb]
export type Activation = Planned<ChangeBy<'activate'>>
export type Deactivation = Planned<ChangeBy<'deactivate'>>

export function isVerbActivity(activity: Activity): activity is VerbActivity {
  return isVerb(activity.kind)
}

/** An activity that undoes another one. */
export type Undo = { readonly [Kind in Verb]: ChangeBy<Kind> }[Verb]

type Planned<Change> = Change & Pick<AnyActivity, 'waitsFor' | 'reasons'> & { readonly undo: Undo | undefined }
type ChangeBy<Kind extends Verb> = Kind extends 'deactivate' ? Stop : ServiceChange<Kind>

interface ServiceChange<Kind extends Verb> extends PlacedService {
  readonly id: `${Kind} ${string}`
  readonly kind: Kind
  /** Where module and properties come from: the next manifest, or the record of the activation. */
  readonly definition: 'next' | 'recorded'
}

interface Stop extends ServiceChange<'deactivate'> {
  /** Whether the next manifest's module is tried if the recorded one fails, which may be the broken part. */
  readonly otherwise: 'next' | 'nothing'
}

/** A service with the component whose state is its own. */
export interface StatefulService extends PlacedService {
  readonly component: string
}

/** An activity that concerns the state of a service. It leaves nothing that would have to be undone: what it writes is not used yet. */
interface StateActivity<Kind extends string> extends AnyActivity, StatefulService {
  readonly id: `${Kind} ${string}`
  readonly kind: Kind
  readonly undo: undefined
}

/** Takes a snapshot where a service was, as described by its record. */
export interface Snapshotting extends StateActivity<'snapshot'> {
  readonly definition: 'recorded'
}

/** Brings the latest snapshot to the coordinator, and from there to where the service goes. */
export interface Transfer extends StateActivity<'transfer'> {
  /** Undefined if the service is only removed, and its state kept on the coordinator. */
  readonly to: StatefulService | undefined
  /** Whether the snapshot is only on the coordinator, where an earlier deployment has left it. */
  readonly isKept: boolean
}

/** Replaces the state of a new instance by what was transferred. */
export interface Restoring extends StateActivity<'restore'> {
  readonly definition: 'next'
  /** Name of the snapshot, if an earlier run has transferred it. */
  readonly snapshot: string | undefined
}

/** A plan as data: phases with a barrier between them. Within a phase an activity follows those it waits for. */
export interface Transition<One extends AnyActivity = Activity> {
  readonly phases: readonly (readonly One[])[]
  /** Unwanted services that no record says how to deactivate. */
  readonly skipped: readonly Message[]
  /** Services that stay active with other settings than those of the next manifest. */
  readonly outdated: readonly OutdatedMapping[]
}

export interface OutdatedMapping {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  /** How the settings differ. Never empty. */
  readonly changes: readonly Reason[]
  /** Whether an earlier run reported the changes: then they are in the plan, but not reported again. */
  readonly isTold: boolean
}

/** Returns all activities of a plan, in an order in which they can be done one by one. */
export function activitiesOf<One extends AnyActivity>({ phases }: Pick<Transition<One>, 'phases'>): readonly One[] {
  return phases.flat()
}

export function isEmpty(transition: Pick<Transition<AnyActivity>, 'phases'>): boolean {
  return activitiesOf(transition).length === 0
}
