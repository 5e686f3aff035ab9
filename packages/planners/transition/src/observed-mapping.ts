import type { RecordState } from '@davit/target-runtime'

import type { PlacedService } from './placed-service.ts'
import type { Reason } from './reason.ts'

/** A mapping as its record on the target describes it. The target's name is the one under which the record lies. */
export interface ObservedMapping extends PlacedService {
  /** State in the record; an intended activity that never reported success still runs, was cut off, or failed. */
  readonly state: RecordState
  /** Whether an activity of the mapping is still running. */
  readonly running: boolean
  /** Activity that runs or was cut off; unknown for records of earlier versions. */
  readonly activity?: string
  /** Whether the intended activity is known to have failed; otherwise it was cut off, or still runs. */
  readonly hasFailed?: boolean
  /** Component whose state moves with the service. */
  readonly component?: string
  /** Snapshot that has to be restored before anybody is served. */
  readonly toRestore?: string
  /** Why the mapping cannot be left alone, whatever its record states. */
  readonly doubt?: Doubt
  /** Settings that differ between the next manifest and the record, under the same key. */
  readonly changes?: readonly Reason[]
  /** Whether the last generation has the same settings as next: then the run that made it has reported the changes. */
  readonly areChangesTold?: boolean
}

/** Died: its module reports that it does not run. Rebooted: its machine was restarted, and no module reports that it runs. Damaged: its record was altered. */
export type Doubt = 'died' | 'rebooted' | 'damaged'
