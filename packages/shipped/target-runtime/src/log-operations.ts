import { type Operation, SLOW } from './operation.ts'

const LOGS = ['logs'] as const

/** Operations on the logs of services and of their activities. */
export const LOG_OPERATIONS = {
  call_logs: {
    roles: LOGS,
    fields: 'TARGET PROFILE SECONDS BYTES CONTAINER KEY [-secret NAME WORD]...',
    does: 'asks the module of a mapping which logs its service has, or for the end of one that it prints itself',
    slowness: SLOW,
    isRepeatable: true,
    detached: ['print_logs'],
  },
  activity_logs: {
    roles: LOGS,
    fields: 'TARGET PROFILE [CONTAINER KEY]...',
    does: 'names the activities of mappings of which there are logs, and their files',
    isRepeatable: true,
  },
  read_files: {
    roles: LOGS,
    fields: 'BYTES LINES [POSITION PATH]...',
    does: 'reads the ends of files, or what they have beyond a position, and tells the position after that; a file may have been rotated',
    slowness: SLOW,
    isRepeatable: true,
  },
} as const satisfies Readonly<Record<string, Operation>>
