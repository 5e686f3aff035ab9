import type { DavitError } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import type { CurrentProfile } from '@davit/target'

import type { TargetDrift } from './drift.ts'
import type { Instance } from './instance.ts'

/** What is on the targets of a deployment. */
export interface Inventory {
  readonly profile: ProfileName
  /** In order of their names. */
  readonly targets: readonly TargetInventory[]
}

export interface TargetInventory {
  readonly target: TargetName
  /** Why nothing is known of it. */
  readonly error?: DavitError
  /** Absent if there is none. */
  readonly profile?: CurrentProfile
  /** In order of their containers and names. */
  readonly instances: readonly Instance[]
  readonly drift: readonly TargetDrift[]
}
