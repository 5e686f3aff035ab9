import { EVERYBODY, type Operation, type Role, SLOW, VERY_SLOW } from './operation.ts'
import { LOG_OPERATIONS } from './log-operations.ts'
import { STATE_OPERATIONS } from './state-operations.ts'
import { STORE_OPERATIONS } from './store-operations.ts'
import { TRIAL_OPERATIONS } from './trial-operations.ts'

export { type Operation, type Role, SLOW } from './operation.ts'

const DEPLOY = ['deploy'] as const
const CARRY = ['carry'] as const
const QUERY = ['query'] as const
const COLLECT = ['collect'] as const

/** All operations: the source for the scripts, the types and time limits of callers, and `docs/operations.md`. */
export const OPERATIONS = {
  hello: {
    roles: EVERYBODY,
    fields: '',
    does: 'reports facts about the machine, and which utilities it lacks',
    isAskedFirst: true,
  },
  lock_state: {
    roles: EVERYBODY,
    fields: 'TARGET PROFILE',
    does: 'returns the holder of the lock of a profile on a target, and when its lease ends',
    isRepeatable: true,
    isAskedFirst: true,
  },
  lock: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN OWNER LEASE [DEAD-TOKEN|- [WANTED TARGETS STORE-KIND]]',
    does: 'takes or renews a lock; replaces a holder whose lease is over or who is known to be dead; notes the profile that is wanted',
    isRepeatable: true,
  },
  renew: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN LEASE',
    does: 'renews a lock, unless its holder has lost it',
    isRepeatable: true,
  },
  unlock: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN [withdraw]',
    does: 'releases a lock; with `withdraw`, forgets the profile that its run wanted',
  },
  observe: {
    roles: ['deploy', 'query', 'check', 'logs'],
    fields: 'PROFILE [replace]',
    does: 'lists the records of a profile on this machine under any target name, its unconfirmed trials, the mappings of other profiles, all profiles, and deployments of Disnix that were not adopted',
    isRepeatable: true,
    isAskedFirst: true,
  },
  inventory: {
    roles: QUERY,
    fields: 'PROFILE [TARGET]... - [WORD]...',
    does: 'tells all that an inventory needs: what `observe`, `read_profiles` and `resolve` tell, when records got their states, and which packages are not valid here',
    isRepeatable: true,
  },
  look: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE PATH STORE-KIND [ROOT [NAME]...]',
    does: 'names what keeps a target from being as a run leaves it: a lock, another current or wanted profile, a missing root or path',
    isRepeatable: true,
    isAskedFirst: true,
  },
  condition: {
    roles: ['check'],
    fields: '[STORE]...',
    does: 'tells the time, the account, versions, the space on disks, what cannot be written, the locks of all profiles, and what runs have left here',
    slowness: SLOW,
    isRepeatable: true,
  },
  start: {
    roles: DEPLOY,
    fields:
      'TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER KEY [-secret NAME WORD]... [instead MODULE] [FIELD WORD]...',
    does: 'writes the intention, starts the activity detached, confirms that it runs, and later reports how it ended',
    endsLater: true,
    detached: ['run_activity'],
  },
  await: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE ACTIVITY SECONDS CONTAINER KEY',
    does: 'waits for the activity that runs on a mapping',
    endsLater: true,
  },
  ask: {
    roles: ['deploy', 'query'],
    fields: 'TARGET PROFILE TOKEN ACTIVITY SECONDS LANES NAME [-secret NUMBER NAME WORD]... [CONTAINER KEY]...',
    does: 'asks the modules of mappings, detached and so many at a time, for `lock`, `unlock` or `status`, and later tells each answer',
    endsLater: true,
    detached: ['ask_services'],
  },
  ask_unrecorded: {
    roles: QUERY,
    fields: 'TARGET PROFILE SECONDS CONTAINER KEY [-secret NAME WORD]... [FIELD WORD]...',
    does: 'asks the module of a mapping without a record for `status`, and later tells the answer',
    endsLater: true,
    detached: ['ask_services'],
  },
  await_asked: {
    roles: ['deploy', 'query'],
    fields: 'TARGET PROFILE ACTIVITY NAME [CONTAINER KEY]...',
    does: 'waits for the questions with this name, unless they asked for `status`, and tells all answers again',
    endsLater: true,
  },
  log: {
    roles: ['deploy', 'state'],
    fields: 'TARGET PROFILE ACTIVITY CONTAINER KEY BYTES',
    does: 'returns the end of the log of an activity, and the reason if nothing more can be written',
    isRepeatable: true,
  },
  abandon: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN CONTAINER KEY',
    does: 'moves a record aside without calling a module',
  },
  resolve: {
    roles: ['deploy', 'query'],
    fields: '[WORD]...',
    does: 'resolves references to modules, to show whether they have changed or are missing',
    isRepeatable: true,
  },
  set_profile: {
    roles: DEPLOY,
    fields: 'TARGET PROFILE TOKEN PATH add|reuse STORE-KIND [ROOT]',
    does: 'makes a profile current; if it was not, adds or reuses a generation, which is a root of the store',
    slowness: SLOW,
    isRepeatable: true,
  },
  read_profiles: {
    roles: ['deploy', 'query'],
    fields: 'PROFILE [TARGET]...',
    does: 'returns the current and wanted profiles of targets, each with its profile manifest',
    isRepeatable: true,
  },
  protect: {
    roles: CARRY,
    fields: 'STORE-KIND ROOTS [PATH]...',
    does: 'protects paths from garbage collection for a day',
    slowness: SLOW,
    isRepeatable: true,
  },
  ...STORE_OPERATIONS,
  trim_profile: {
    roles: COLLECT,
    fields: 'TARGET PROFILE [PATH]...',
    does: 'removes the generations of a profile, except the current one and those of these paths',
    slowness: SLOW,
  },
  trim_remnants: {
    roles: COLLECT,
    fields: '[--dry-run]',
    does: 'removes logs of services that are gone, and records that were given up long ago',
  },
  nix_collect: { roles: COLLECT, fields: '[--dry-run]', does: 'has Nix collect its garbage', slowness: VERY_SLOW },
  ...STATE_OPERATIONS,
  ...TRIAL_OPERATIONS,
  ...LOG_OPERATIONS,
} as const satisfies Readonly<Record<string, Operation>>

export type OperationName = keyof typeof OPERATIONS

export function operation(name: OperationName): Operation {
  return OPERATIONS[name]
}

export function operationsOf(role: Role): readonly OperationName[] {
  const names = Object.keys(OPERATIONS) as OperationName[]
  return names.filter((name) => operation(name).roles.includes(role))
}
