import type { Role } from './operation.ts'

/** Parts of `runtime/` that a script is composed of. */
export interface Parts {
  /** Parts that its detached processes evaluate too: everything that these need. */
  readonly detached?: readonly string[]
  /** Parts that only the asker evaluates, after those of all detached processes. */
  readonly asker?: readonly string[]
  /** Parts that the watcher of a trial evaluates too, after those of all detached processes. */
  readonly kept?: readonly string[]
  readonly own: readonly string[]
}

/** Parts of the process that calls a module. */
export const ACTIVITIES = ['common', 'claim', 'state', 'runner'] as const
/** The same, for what concerns the state of components. */
export const SNAPSHOT_ACTIVITIES = [
  ...ACTIVITIES,
  'snapshots',
  'snapshot-past',
  'snapshot-owners',
  'snapshot-changes',
  'snapshot-content',
  'snapshot-runner',
] as const
const HELPER = ['refuse', 'serve', 'holder', 'lock-state', 'roots', 'nix']

/** What the helpers of each role are sent. */
export const HELPERS: Readonly<Record<Role, Parts>> = {
  deploy: {
    detached: ACTIVITIES,
    asker: ['asker'],
    own: [
      ...HELPER,
      'lock',
      'record',
      'observe',
      'resolve',
      'look',
      'secrets',
      'begin',
      'activity',
      'ask',
      'nix-roots',
      'profile',
      'read-profiles',
      'profile-manifest',
      'wanted',
      'lock-file',
      'original',
    ],
  },
  carry: {
    own: [
      'common',
      'claim',
      ...HELPER,
      'nix-roots',
      'protect',
      'remove-tree',
      'native-store',
      'native-altered',
      'native-aside',
      'native-transfer',
    ],
  },
  state: {
    detached: [...SNAPSHOT_ACTIVITIES, 'snapshot-verify'],
    own: [
      ...HELPER,
      'record',
      'secrets',
      'begin',
      'activity',
      'remove-tree',
      'native-aside',
      'snapshot-activity',
      'snapshot-places',
      'snapshot-store',
    ],
  },
  adopt: { own: ['common', 'claim', 'state', ...HELPER, 'record', 'snapshots', 'snapshot-places', 'adopt'] },
  trial: {
    detached: ACTIVITIES,
    kept: ['refuse', 'holder', 'roots', 'record', 'secrets', 'begin', 'trial', 'trial-back', 'session'],
    own: ['serve', 'lock-state', 'nix', 'restart', 'trial-confirm', 'trial-begin'],
  },
  confirm: { own: ['common', 'claim', ...HELPER, 'trial', 'trial-confirm'] },
  query: {
    detached: ACTIVITIES,
    asker: ['asker'],
    own: [
      ...HELPER,
      'record',
      'observe',
      'resolve',
      'inventory',
      'secrets',
      'ask',
      'unrecorded',
      'nix-roots',
      'read-profiles',
      'profile-manifest',
      'wanted',
      'lock-file',
      'original',
    ],
  },
  check: {
    own: [
      'common',
      'claim',
      'state',
      ...HELPER,
      'record',
      'lock-file',
      'original',
      'observe',
      'profile-manifest',
      'nix-roots',
      'wanted',
      'remove-tree',
      'native-store',
      'native-altered',
      'restart',
      'condition',
    ],
  },
  logs: {
    detached: [...ACTIVITIES, 'log-caller'],
    own: [
      ...HELPER,
      'record',
      'secrets',
      'begin',
      'observe',
      'lock-file',
      'original',
      'profile-manifest',
      'safe-path',
      'read-as',
      'logs',
    ],
  },
  collect: { own: ['common', 'claim', ...HELPER, 'remove-tree', 'native-store', 'native-aside', 'collect'] },
}
