import type { RecordState } from '@davit/target-runtime'

import type { PlacedService } from './placed-service.ts'
import type { Reason } from './reason.ts'

/** What the record of a mapping on its target says. The target's name is the one under which the record lies. */
export interface ObservedMapping extends PlacedService {
  /** What its record says of it; what was intended and has never reported success still runs, was cut off or failed. */
  readonly state: RecordState
  /** Whether an activity of it is still at work. */
  readonly running: boolean
  /** The activity that runs, or was cut off; not known of records of earlier versions. */
  readonly activity?: string
  /** Whether what was intended is known to have failed; otherwise it was cut off, or still runs. */
  readonly hasFailed?: boolean
  /** Why it cannot be left alone, whatever its record says. */
  readonly doubt?: Doubt
  /** What next says otherwise of it than its record, although its key is the same. */
  readonly changes?: readonly Reason[]
  /** Whether the last generation says the same of it as next: then the run that made it has told the changes. */
  readonly areChangesTold?: boolean
}

/** Its module says that it does not run; its machine was restarted, and nobody says that it runs; its record was changed by somebody. */
export type Doubt = 'died' | 'rebooted' | 'damaged'
