import type { ActivityDefinition } from '@davit/target'
import type { Mapping } from '@davit/documents'

import type { LogSource } from './log-line.ts'

/** How the module of a record is called. */
export interface Called {
  readonly mapping: Mapping
  readonly definition: ActivityDefinition
}

/** A log that there is: a file, or one that its module prints. */
export type FoundLog =
  | { readonly kind: 'file'; readonly source: LogSource; readonly path: string }
  | { readonly kind: 'program'; readonly source: LogSource; readonly name: string; readonly called: Called }

/** Identifies a log on its machine. */
export function idOf(log: FoundLog): string {
  const { target, container, service } = log.source
  return log.kind === 'file' ? `file ${log.path}` : `program ${target} ${container} ${service} ${log.name}`
}
