import type { ContainerName, ServiceKey, StorePath } from '@davit/documents'
import type { ServiceStatus } from '@davit/target'
import type { RecordState } from '@davit/target-runtime'

import type { Drift } from './drift.ts'

/** A service in a container of a target. */
export interface Instance {
  /** Name of the service; its key if nothing tells its name. */
  readonly service: string
  readonly key: ServiceKey
  readonly container: ContainerName
  /** Absent if its record is damaged. */
  readonly type?: string
  readonly pkg?: StorePath
  /** State of its record; absent if it has none. */
  readonly state?: RecordState
  /** Activity that runs. */
  readonly activity?: string
  /** When it got its state, by the clock of the machine; absent if the machine cannot tell. */
  readonly since?: Date
  /** What its module reports; absent if it was not asked. */
  readonly status?: ServiceStatus
  readonly drift: readonly Drift[]
}
