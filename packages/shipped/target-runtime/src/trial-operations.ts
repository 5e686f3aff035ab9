import type { Operation } from './operation.ts'

const TRIAL = ['trial'] as const

/** Operations of trials: targets that go back by themselves unless they are told in time that all is well. */
export const TRIAL_OPERATIONS = {
  trial_begin: {
    roles: TRIAL,
    fields: 'TARGET PROFILE TOKEN ID SECONDS LIMIT [stop|start CONTAINER KEY [-secret NAME WORD]...]...',
    does: 'keeps what is active, and has the machine go back to it by itself, in this order, unless the trial is confirmed in time; tells by what means it would do so after a restart',
    isRepeatable: true,
    detached: ['watch_trial', 'leave_session'],
  },
  trial_extend: {
    roles: TRIAL,
    fields: 'TARGET PROFILE ID SECONDS',
    does: 'has the time of a trial begin anew',
    isRepeatable: true,
  },
  trial_revert: {
    roles: TRIAL,
    fields: 'TARGET PROFILE ID',
    does: 'has the machine go back now',
    isRepeatable: true,
  },
  trial_forget: {
    roles: TRIAL,
    fields: 'TARGET PROFILE ID',
    does: 'forgets that the machine has gone back, so that activities under the lock of that run may begin again',
    isRepeatable: true,
  },
  trial_state: {
    roles: ['trial', 'confirm'],
    fields: 'TARGET PROFILE ID',
    does: 'tells whether a trial can be confirmed, or the machine goes back or has gone back, and what has failed then',
    isRepeatable: true,
  },
  trial_confirm: {
    roles: ['confirm'],
    fields: 'TARGET PROFILE ID',
    does: 'ends a trial, so that the machine stays as it is',
  },
} as const satisfies Readonly<Record<string, Operation>>
