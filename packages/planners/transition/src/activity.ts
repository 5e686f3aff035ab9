import type { Message } from '@davit/diagnostics'
import type { ManifestService, ServiceMapping } from '@davit/documents'

import type { PlacedService } from './placed-service.ts'
import type { Reason } from './reason.ts'

/** One step of a plan. Each kind has a row in `KINDS`, and one in the table of who performs it. */
export type Activity = Deactivation | Activation
export type ActivityKind = Activity['kind']

/** What the planner and the runner know of an activity, whatever its kind. */
export interface AnyActivity {
  /** Unique within a transition. */
  readonly id: string
  readonly kind: string
  /** Activities of the same phase that must have succeeded before. */
  readonly waitsFor: readonly string[]
  /** They only explain. Never empty. */
  readonly reasons: readonly Reason[]
  /** What takes it back, half done or done; undefined where there was nothing whole before. */
  readonly undo: Pick<AnyActivity, 'id' | 'kind'> | undefined
}

/** Has a lifecycle module called. */
interface ModuleActivity<Kind extends string> extends AnyActivity, PlacedService {
  readonly id: `${Kind} ${string}`
  readonly kind: Kind
  /** What says with which module and properties: the next manifest, or what was recorded when it was activated. */
  readonly definition: 'next' | 'recorded'
  readonly undo: Undo | undefined
}

export type Activation = ModuleActivity<'activate'>

export interface Deactivation extends ModuleActivity<'deactivate'> {
  /** Whether the next manifest's module is tried as well if the recorded one fails, which may be what was broken. */
  readonly otherwise: 'next' | 'nothing'
}

/** An activity as it will be planned if another is to be undone. */
export type Undo = WhatIsDone<Activation> | WhatIsDone<Deactivation>
type WhatIsDone<One extends AnyActivity> = Omit<One, 'waitsFor' | 'reasons' | 'undo'>

/** A plan as data: phases with a barrier between them. Within a phase an activity comes after what it waits for. */
export interface Transition<One extends AnyActivity = Activity> {
  readonly phases: readonly (readonly One[])[]
  /** What should not be there, and has no record by which it could be deactivated. */
  readonly skipped: readonly Message[]
  /** What stays active otherwise than next describes it. */
  readonly outdated: readonly OutdatedMapping[]
}

export interface OutdatedMapping {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  /** Never empty. */
  readonly changes: readonly Reason[]
  /** Whether an earlier run has told them: they are in the plan, and nothing to be told again. */
  readonly isTold: boolean
}

/** All of a plan, in an order in which they could be done one by one. */
export function activitiesOf<One extends AnyActivity>({ phases }: Pick<Transition<One>, 'phases'>): readonly One[] {
  return phases.flat()
}

export function isEmpty(transition: Pick<Transition<AnyActivity>, 'phases'>): boolean {
  return activitiesOf(transition).length === 0
}
