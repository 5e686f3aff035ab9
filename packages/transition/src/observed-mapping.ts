import type { PlacedService } from './placed-service.ts'
import type { Reason } from './reason.ts'

/** What the record of a mapping on its target says. The target's name is the one under which the record lies. */
export interface ObservedMapping extends PlacedService {
  /**
   * `activating` and `deactivating` were intended and never reported success; what is `running` still has a
   * runner at work, everything else was cut off or failed.
   */
  readonly state: 'active' | 'activating' | 'deactivating'
  readonly running: boolean
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
