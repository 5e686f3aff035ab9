import type { OptionTable } from './option.ts'

/** Options of tools that call lifecycle modules. */
export const activityOptions = {
  'activity-timeout': {
    type: 'integer',
    value: 'SECONDS',
    minimum: 1,
    env: ['DAVIT_ACTIVITY_TIMEOUT'],
    describe:
      'end an activity that takes longer, with TERM and five seconds later KILL, and treat it as failed; without this option there is no limit',
  },
} as const satisfies OptionTable

/** Options of tools that change targets. */
export const lockOptions = {
  lock: {
    type: 'boolean',
    default: true,
    group: 'Lock options',
    describe: 'work under the lock of the deployment; take it unless this run holds it already',
  },
  'lock-lease': {
    type: 'integer',
    value: 'SECONDS',
    minimum: 1,
    default: 60,
    env: ['DAVIT_LOCK_LEASE'],
    group: 'Lock options',
    describe: 'how long the lock remains valid when its holder no longer renews it',
  },
} as const satisfies OptionTable

/** Option of tools whose changes can be undone by the targets. Whoever goes back needs the lock, leaves nothing as it is, and has services to go back to. */
export const confirmOptions = {
  confirm: {
    type: 'integer',
    value: 'SECONDS',
    minimum: 5,
    excludes: ['no-lock', 'no-rollback', 'delete-state', 'abandon'],
    describe:
      'have each target go back by itself to exactly what it ran before, unless it can be reached over a new connection within SECONDS after everything is active',
  },
} as const satisfies OptionTable
