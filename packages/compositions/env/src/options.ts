import {
  directOptions,
  activityOptions,
  confirmOptions,
  type ArgumentsOf,
  type OptionTable,
  onOptions,
  originalOptions,
  stackProfileOptions,
  skipOptions,
  transferOptions,
  trustOptions,
} from '@davit/tool'

import { generationOptions } from './generation-options.ts'
import { modelOptions } from './model-options.ts'
import { packageOptions } from './package-options.ts'
import { type stackOperands, stackOptions } from './stack-options.ts'

const DEPLOYMENT = { group: 'Deployment' } as const
const CONTINUED = { ...DEPLOYMENT, continued: true } as const

const deploymentOptions = {
  profile: { ...stackProfileOptions.profile, ...DEPLOYMENT },
  'coordinator-profile-path': { ...stackProfileOptions['coordinator-profile-path'], ...DEPLOYMENT },
  'max-concurrent-transfers': { ...transferOptions['max-concurrent-transfers'], ...DEPLOYMENT },
  on: { ...onOptions.on, ...CONTINUED },
  'dry-run': {
    type: 'boolean',
    ...DEPLOYMENT,
    describe: 'build, print what would be done on the targets and why, and stop',
  },
  'no-upgrade': { type: 'boolean', ...CONTINUED, describe: 'deactivate nothing' },
  'take-over': {
    type: 'boolean',
    ...DEPLOYMENT,
    describe:
      'replace what was deployed under this name, although the models share nothing with it; without this option, that is refused before anything is sent',
  },
  'beside-original': {
    type: 'boolean',
    ...DEPLOYMENT,
    describe:
      'start services that are also in a deployment of Disnix on the same target; without this option, that is refused until davit-adopt has taken that deployment over',
  },
  'original-profile': { ...originalOptions['original-profile'], ...DEPLOYMENT },
  'no-migration': {
    type: 'boolean',
    ...CONTINUED,
    describe: 'do not move state: a service that moves begins anew, and its state stays where it was',
  },
  'delete-state': {
    type: 'boolean',
    ...CONTINUED,
    // State is only deleted after it was moved.
    excludes: ['no-migration', 'repair'],
    describe:
      'then delete the state that moved, or whose service was removed, where it was before: only if what took it over is active and does not report that it does not run; snapshots are kept',
  },
  keep: {
    type: 'integer',
    value: 'N',
    minimum: 1,
    ...CONTINUED,
    describe:
      'then remove all but the last N snapshots of each service on the targets, and of all that this machine keeps of the deployment',
  },
  'depth-first': {
    type: 'boolean',
    ...DEPLOYMENT,
    describe:
      'accepted without effect, for scripts written for the original: a plan moves all state between the last service that is stopped and the first that is started; davit-migrate has this order',
  },
  restore: {
    type: 'boolean',
    ...CONTINUED,
    describe: 'give a service that begins anew the last snapshot that this machine keeps of an earlier deployment',
  },
  direct: { ...directOptions.direct, ...CONTINUED },
  'no-rollback': { type: 'boolean', ...CONTINUED, describe: 'leave everything as it is when a service fails' },
  repair: {
    type: 'boolean',
    ...DEPLOYMENT,
    describe:
      'only restart services that died, were interrupted, or ran before a reboot, and start what they depend on; nothing else is started, nothing is stopped, and no generation is added',
  },
  confirm: {
    ...confirmOptions.confirm,
    ...CONTINUED,
    describe:
      'have each target go back by itself to exactly what it ran before, unless it can be reached over a new connection within SECONDS after everything is active; nothing is recorded before; refused if state would move',
  },
  'restart-changed': {
    type: 'boolean',
    ...CONTINUED,
    describe: 'restart services whose container properties, connections or modules changed',
  },
  'activity-timeout': {
    ...activityOptions['activity-timeout'],
    ...CONTINUED,
    describe: 'how long starting, stopping or locking one service may take',
  },
  abandon: {
    type: 'list',
    value: 'SERVICE',
    ...DEPLOYMENT,
    describe:
      'only give up a service that cannot be stopped, by name, key or SERVICE@TARGET: its records are put aside, its module is not called, and its processes, if any, keep running; without models, on the targets of the last deployment',
  },
  'skip-unreachable': { ...skipOptions['skip-unreachable'], ...DEPLOYMENT },
  'trust-programs': { ...trustOptions['trust-programs'], ...DEPLOYMENT },
  'no-lock': {
    type: 'boolean',
    ...CONTINUED,
    describe: 'work without the lock of the deployment, and without asking the services',
  },
  'no-coordinator-profile': { type: 'boolean', ...CONTINUED, describe: 'add no generation on the coordinator' },
  'no-target-profiles': { type: 'boolean', ...CONTINUED, describe: 'leave the profiles of the targets alone' },
} as const satisfies OptionTable

export const options = {
  ...modelOptions,
  ...stackOptions,
  ...generationOptions,
  ...packageOptions,
  ...deploymentOptions,
} as const satisfies OptionTable

/** What the user said. */
export type GivenOrder = ArgumentsOf<typeof options, typeof stackOperands>

/** What the user asked for. */
export interface Order extends Omit<GivenOrder, 'profile'> {
  readonly profile: string
}
