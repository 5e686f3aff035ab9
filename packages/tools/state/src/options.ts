import {
  activityOptions,
  onOptions,
  type OptionTable,
  profileOptions,
  skipOptions,
  transferOptions,
  trustOptions,
} from '@davit/tool'

const SELECTION = { group: 'Selection' } as const

/** Options that select state; several options of one kind select any of these. */
export const selectionOptions = {
  container: {
    type: 'list',
    short: 'c',
    value: 'CONTAINER',
    ...SELECTION,
    describe: 'only state in this container',
  },
  component: {
    type: 'list',
    short: 'C',
    value: 'COMPONENT',
    ...SELECTION,
    describe: 'only the state of this component, which is the file name of its package without the hash',
  },
  service: { type: 'list', short: 'S', value: 'SERVICE', ...SELECTION, describe: 'only the state of this service' },
} as const satisfies OptionTable

export const deployedOptions = {
  deployed: { type: 'boolean', describe: 'use the manifest that was deployed last; so does a tool without a manifest' },
} as const satisfies OptionTable

export const dryRunOptions = {
  'dry-run': { type: 'boolean', describe: 'print what would be done, and stop' },
  ...trustOptions,
} as const satisfies OptionTable

export const oldOptions = {
  'old-manifest': {
    type: 'string',
    short: 'o',
    value: 'FILE',
    describe: 'manifest that was deployed before: act only on state that moved since then',
  },
} as const satisfies OptionTable

/** Options of tools that move snapshots. */
export const moveOptions = {
  ...profileOptions,
  ...deployedOptions,
  ...oldOptions,
  upgrade: {
    type: 'boolean',
    default: true,
    describe: 'with --old-manifest, act only on state that moved; without it, on all state of the manifest',
  },
  ...onOptions,
  ...selectionOptions,
  'depth-first': {
    type: 'boolean',
    describe:
      'finish the state of one service before the next one of the same target, so that less space is needed at a time; by default, each step is done for all of them before the next',
  },
  all: { type: 'boolean', describe: 'move all snapshots, oldest first, instead of only the latest' },
  keep: {
    type: 'integer',
    value: 'N',
    minimum: 1,
    describe: 'then remove all but the last N snapshots of what was moved, on its target and on this machine',
  },
  'max-concurrent-transfers': {
    ...transferOptions['max-concurrent-transfers'],
    describe: 'with how many targets to exchange snapshots at a time',
  },
  ...skipOptions,
  'activity-timeout': {
    ...activityOptions['activity-timeout'],
    describe:
      'end a module that takes longer, with TERM and five seconds later KILL, and treat it as failed; without this option there is no limit',
  },
  ...dryRunOptions,
} as const satisfies OptionTable

export const whereOptions = {
  where: {
    type: 'choice',
    choices: ['targets', 'coordinator', 'both'],
    default: 'both',
    describe: 'whose snapshots: those of the targets, or those that this machine keeps',
  },
} as const satisfies OptionTable
