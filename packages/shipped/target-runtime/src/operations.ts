/** What a helper is for. Each is sent the parts that its operations use. */
export type Role = 'deploy' | 'carry' | 'collect'

/** What a helper can be asked for; `operation_NAME` in a part of `runtime/` carries it out. */
export interface Operation {
  readonly roles: readonly Role[]
  /** Words of a request. Those from the first bracket on may be any number of words. */
  readonly fields: string
  /** One sentence without a subject, for the docs. */
  readonly does: string
  /** So many times as long as usual the machine may be silent until it answers. */
  readonly slowness?: number
  /** Whether it comes to the same when it is done twice: then it is asked again when its answer was lost. */
  readonly isRepeatable?: true
  /** Whether it is an activity that is answered at once, and whose end is told later. */
  readonly endsLater?: true
}

/** For what reads or writes a store as a whole, or waits for another program. */
export const SLOW = 10

const EVERYBODY = ['deploy', 'carry', 'collect'] as const
const DEPLOY = ['deploy'] as const
const CARRY = ['carry'] as const
const COLLECT = ['collect'] as const

/** All that a helper can be asked for. The script, the callers, how long they wait, and `docs/operations.md` come from here. */
export const OPERATIONS = {
  hello: {
    roles: EVERYBODY,
    fields: '',
    does: 'says what the machine is, and which utilities it lacks',
  },
  lock_state: {
    roles: EVERYBODY,
    fields: 'TARGET PROFILE',
    does: 'looks at the lock of a profile on a target',
    isRepeatable: true,
  },
  lock: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN OWNER LEASE [DEAD-TOKEN]',
    does: 'takes or renews a lock; a holder whose lease is over, or who is known to be dead, is replaced',
    isRepeatable: true,
  },
  renew: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN LEASE',
    does: 'renews a lock for whoever has never lost it',
    isRepeatable: true,
  },
  unlock: { roles: DEPLOY, fields: 'TARGET PROFILE TOKEN', does: 'gives a lock back' },
  observe: {
    roles: DEPLOY,
    fields: 'PROFILE',
    does: 'tells every record of a profile on this machine, whatever the target is called, and which other profiles there are',
    isRepeatable: true,
  },
  start: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER KEY [instead MODULE] [FIELD WORD]...',
    does: 'writes the intention, starts the activity detached, says at once that it runs and later how it ended',
    endsLater: true,
  },
  await: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE ACTIVITY SECONDS CONTAINER KEY',
    does: 'waits for what runs on a mapping',
    endsLater: true,
  },
  status: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE SECONDS CONTAINER KEY',
    does: 'asks the module of something active whether it runs',
    endsLater: true,
  },
  log: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE ACTIVITY CONTAINER KEY BYTES',
    does: 'says the end of what an activity printed, and why nothing more can be written',
    isRepeatable: true,
  },
  abandon: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN CONTAINER KEY',
    does: 'puts a record aside without calling a module',
  },
  resolve: {
    roles: DEPLOY,
    fields: '[WORD]...',
    does: 'says to which modules references lead, to tell whether they have changed',
    isRepeatable: true,
  },
  set_profile: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN PATH add|reuse STORE-KIND [ROOT]',
    does: 'makes a profile current, and adds a generation, a root of the store, where something changed',
    slowness: SLOW,
    isRepeatable: true,
  },
  protect: {
    roles: CARRY,
    fields: 'STORE-KIND ROOTS [PATH]...',
    does: 'keeps paths from being collected for a day',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_missing: {
    roles: CARRY,
    fields: 'REGISTRATIONS [NAME]...',
    does: 'says which of these are not valid here; the others stay until this helper ends',
    isRepeatable: true,
  },
  native_commit: {
    roles: CARRY,
    fields: 'STORE INCOMING REGISTRATIONS ROOTS [NAME RECORD]... protect [NAME]... needs [NAME]...',
    does: 'makes valid what a transfer has brought, and protects some of it, if what it needs is still valid',
    slowness: SLOW,
  },
  native_discard: {
    roles: CARRY,
    fields: 'INCOMING',
    does: 'forgets what a transfer has brought',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_survey: {
    roles: COLLECT,
    fields: 'CHECKSUM STORE INCOMING REGISTRATIONS ROOTS LOCKS',
    does: 'says what is kept, with a sum of that, what is valid, and what is rubbish',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_collect: {
    roles: COLLECT,
    fields: 'CHECKSUM SUM STORE INCOMING REGISTRATIONS ROOTS LOCKS LOGS [NAME]... rubbish [NAME]...',
    does: 'removes these, if the same is kept as when the sum was made',
    slowness: SLOW,
  },
  trim_profile: {
    roles: COLLECT,
    fields: 'TARGET PROFILE [PATH]...',
    does: 'removes the generations of a profile but the current one and those that lead to these paths',
    slowness: SLOW,
  },
  trim_remnants: {
    roles: COLLECT,
    fields: '[--dry-run]',
    does: 'removes logs of services that are gone, and records that were given up long ago',
  },
  nix_collect: { roles: COLLECT, fields: '[--dry-run]', does: 'has Nix collect its garbage', slowness: 60 },
} as const satisfies Readonly<Record<string, Operation>>

export type OperationName = keyof typeof OPERATIONS

export function operation(name: OperationName): Operation {
  return OPERATIONS[name]
}

export function operationsOf(role: Role): readonly OperationName[] {
  const names = Object.keys(OPERATIONS) as OperationName[]
  return names.filter((name) => operation(name).roles.includes(role))
}
