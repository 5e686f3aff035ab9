import type { ContainerName, ProfileName, ServiceKey, TargetName } from '@davit/documents'
import type { RecordState } from '@davit/target-runtime'
import type { ObservedMapping } from '@davit/transition'

import type { OriginalDeployment } from '../originals/original.ts'
import type { ActivityDefinition } from './activity.ts'
import type { SalvagedFields } from './record.ts'

/** A record, with everything that its activities need, so that no other document is needed. */
export interface ObservedRecord extends ObservedMapping {
  readonly definition: ActivityDefinition
  /** Id of the boot during which it was written. */
  readonly bootId: string
  /** Whether the service may still be locked: `lock` was called, or cut off, and no `unlock` has succeeded since. */
  readonly isLocked: boolean
  /** Activities that its module declares. A module that declares none may have any activity but `status`. */
  readonly declared?: readonly string[]
}

/** A record that cannot be read completely, since somebody has changed it. */
export interface DamagedRecord {
  readonly target: TargetName
  readonly container: ContainerName
  readonly key: ServiceKey
  readonly state: RecordState
  readonly running: boolean
  readonly activity?: string
  /** Its directory on the machine. */
  readonly directory: string
  readonly problem: string
  readonly fields: SalvagedFields
}

/** A mapping of another deployment on the machine. */
export interface ForeignRecord {
  readonly profile: ProfileName
  readonly target: TargetName
  readonly container: string
  readonly pkg: string
  /** Name of its service; empty if the record lacks it. */
  readonly name: string
}

export interface Observation {
  /** Id of the current boot of the machine. */
  readonly bootId: string
  readonly records: readonly ObservedRecord[]
  readonly damaged: readonly DamagedRecord[]
  readonly foreign: readonly ForeignRecord[]
  /** All profiles that were ever set on the machine, including this one. */
  readonly profiles: readonly ProfileName[]
  /** Deployments of Disnix that davit has not adopted. */
  readonly originals: readonly OriginalDeployment[]
  /** The lock of Disnix, if it is at work on the deployment of this name, or has left it. */
  readonly originalLock?: string | undefined
  /** Targets that are not confirmed, or go back (see `trial.ts`). */
  readonly trials: readonly TargetName[]
  /** Directories among the records that davit did not make. */
  readonly strange: readonly string[]
}
