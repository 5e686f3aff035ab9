import type { ContainerName, ServiceName, TargetName } from '@davit/documents'

/** Where a line comes from. */
export interface LogSource {
  readonly target: TargetName
  readonly container: ContainerName
  readonly service: ServiceName
  /** Absent if it is a log of the service itself. */
  readonly activity?: string
}

export interface LogLine {
  readonly source: LogSource
  /** Milliseconds since 1970, perhaps with a fraction, by which it is ordered. */
  readonly at: number
  /** Whether the line itself tells its time. */
  readonly isTimed: boolean
  /** Without its time, if it began with that. */
  readonly text: string
}
