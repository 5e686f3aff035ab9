export { followLogs } from './follow-logs.ts'
export type { LogLine, LogSource } from './log-line.ts'
export type { LogTerms, OpenLogs } from './log-terms.ts'
export { readLogs } from './read-logs.ts'
