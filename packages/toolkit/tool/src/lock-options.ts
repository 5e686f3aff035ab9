import type { OptionTable } from './option.ts'

/** For tools that have lifecycle modules do something. */
export const activityOptions = {
  'activity-timeout': {
    type: 'integer',
    value: 'SECONDS',
    minimum: 1,
    env: ['DAVIT_ACTIVITY_TIMEOUT'],
    describe:
      'end an activity of a service that takes longer, with TERM and five seconds later KILL: it has failed then; without it, activities take as long as they want',
  },
} as const satisfies OptionTable

/** For tools that change targets. */
export const lockOptions = {
  lock: {
    type: 'boolean',
    default: true,
    group: 'Lock options',
    describe: 'work under the lock of the deployment, and take it if this run does not hold it',
  },
  'lock-lease': {
    type: 'integer',
    value: 'SECONDS',
    minimum: 1,
    default: 60,
    env: ['DAVIT_LOCK_LEASE'],
    group: 'Lock options',
    describe: 'how long the lock outlives whoever holds it',
  },
} as const satisfies OptionTable
