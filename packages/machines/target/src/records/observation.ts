import type { ContainerName, ProfileName, ServiceKey, TargetName } from '@davit/documents'
import type { RecordState } from '@davit/target-runtime'
import type { ObservedMapping } from '@davit/transition'

import type { ActivityDefinition } from './activity.ts'
import type { SalvagedFields } from './record.ts'

/** What a record says, and all that is needed to run activities of it without any other document. */
export interface ObservedRecord extends ObservedMapping {
  readonly definition: ActivityDefinition
  /** Of the boot during which it was written. */
  readonly bootId: string
  /** Whether its module can be asked for its status. */
  readonly answersStatus: boolean
}

/** A record that cannot be read as a whole: somebody has changed it. */
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

/** What another deployment has on the machine. */
export interface ForeignRecord {
  readonly profile: ProfileName
  readonly target: TargetName
  readonly container: string
  readonly pkg: string
  /** As it is called there; empty where its record does not say it. */
  readonly name: string
}

export interface Observation {
  /** Of the boot that the machine runs since. */
  readonly bootId: string
  readonly records: readonly ObservedRecord[]
  readonly damaged: readonly DamagedRecord[]
  readonly foreign: readonly ForeignRecord[]
  /** All that were ever set here, this one and others. */
  readonly profiles: readonly ProfileName[]
  /** Directories among the records that davit cannot have made. */
  readonly strange: readonly string[]
}
