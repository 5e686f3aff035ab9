import type { Report } from '@davit/diagnostics'
import type { Infrastructure, TargetName } from '@davit/documents'
import type { Machine } from '@davit/target'

import type { MappingTerms } from './wanted-mappings.ts'

/** Which logs are read. */
export interface LogTerms extends MappingTerms {
  readonly infrastructure: Infrastructure
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
