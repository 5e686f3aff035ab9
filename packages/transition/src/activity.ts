import { type ManifestService, type Mapping, mappingIdOf, type ServiceMapping } from '@davit/documents'

import type { Reason } from './reason.ts'

export type ActivityKind = 'deactivate' | 'activate'

/** Unique within a transition. */
export type ActivityId = `${ActivityKind} ${string}`

export interface Activity {
  readonly id: ActivityId
  readonly kind: ActivityKind
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  /** Activities of the same phase that must have succeeded before. */
  readonly waitsFor: readonly ActivityId[]
  /** Never empty. */
  readonly reasons: readonly Reason[]
  /** What takes it back, half done or done: nothing, where there was nothing whole before. */
  readonly undoneBy: ActivityKind | 'nothing'
}

/** A plan as data: two phases with a barrier in between. Within a phase an activity comes after what it waits for. */
export interface Transition {
  readonly deactivations: readonly Activity[]
  readonly activations: readonly Activity[]
  /** What should not be there, and has no record by which it could be deactivated. */
  readonly skipped: readonly SkippedMapping[]
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

export interface SkippedMapping {
  readonly mapping: ServiceMapping
  readonly service: ManifestService
  readonly message: string
}

export function activityIdOf(kind: ActivityKind, mapping: Mapping): ActivityId {
  return `${kind} ${mappingIdOf(mapping)}`
}

export function isEmpty({ deactivations, activations }: Transition): boolean {
  return deactivations.length === 0 && activations.length === 0
}

/** `activate web in process`, for progress that names the target itself. */
export function stepOf({ kind, mapping, service }: Activity): string {
  return `${kind} ${service.name} in ${mapping.container}`
}
