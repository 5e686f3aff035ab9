import type { Report } from '@davit/diagnostics'
import type { Infrastructure, Manifest, ProfileName, TargetName } from '@davit/documents'
import type { Machine } from '@davit/target'

/** Which logs are read. */
export interface LogTerms {
  readonly profile: ProfileName
  readonly infrastructure: Infrastructure
  /** What is deployed, if a manifest tells: names services of which there is no record. */
  readonly expected: Manifest | undefined
  readonly services: ReadonlySet<string>
  /** Undefined for all. */
  readonly containers: ReadonlySet<string> | undefined
  /** Only those of activities: of these, or of all. Undefined for the logs of services as well. */
  readonly activities: ReadonlySet<string> | 'all' | undefined
  /** How many of the last lines of each log are read at first. */
  readonly lines: number
  /** Milliseconds since 1970: earlier lines are left out. */
  readonly since: number | undefined
  readonly report: Report
  readonly signal: AbortSignal
}

/** Opens the machine of a target, anew. */
export type OpenLogs = (target: TargetName) => Promise<Machine<'logs'>>
