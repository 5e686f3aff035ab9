import { connectionEnvironment, secretEnvironment, stateEnvironment, type ToolDescription } from '@davit/tool'

import { moveOptions } from './options.ts'

export const description = {
  name: 'davit-snapshot',
  summary: 'Take snapshots of the state of services, and bring them to this machine',
  description: [
    'Takes a snapshot of each service whose state moves with it (deployState), where it is, and brings what this machine lacks of it. This is a backup: no lock is taken, and no service is stopped. A service that fails does not keep the others from being saved.',
    'With --verify, the latest snapshot of each service is then loaded aside, beside what the service uses, compared, and removed again: a backup that was never loaded is a hope. Modules without that activity, whose state is files, need none: what is unpacked is compared with the list of what was saved. Nothing of the service is changed, and it need not be active; with --transfer-only, nothing is taken before. What was found is noted beside the snapshot, on its target and on this machine, and davit-snapshots shows it. If a snapshot cannot be verified, the status is 1, and --keep removes none of that service.',
    'With --old-manifest, takes snapshots only of what the manifest has elsewhere, or no longer has; their services are those of the old manifest. State on targets that are no longer in the infrastructure is skipped, which is said.',
    'Equal state has equal names, so state that has not changed is not kept or sent twice. Prints the manifest unchanged, if one is given.',
  ],
  examples: [
    { command: 'davit-snapshot --deployed --keep 7', describe: 'a backup of everything that is deployed, every night' },
    { command: 'davit-snapshot -S accounts --dry-run', describe: 'show what would be taken of one service' },
    {
      command: 'davit-snapshot --deployed --keep 7 --verify',
      describe: 'the same, and try whether what was saved can be loaded',
    },
    {
      command: 'davit-snapshot --transfer-only --verify --verify-on test1 -S accounts',
      describe: 'load what this machine keeps of one service on another target',
    },
    {
      command: 'davit-snapshot -o old.xml manifest.xml',
      describe: 'save the state that is elsewhere in the new manifest',
    },
  ],
  operands: { manifest: "manifest whose services have the state, '-' for standard input; by default the deployed one" },
  options: {
    ...moveOptions,
    'transfer-only': {
      type: 'boolean',
      describe: 'take no snapshots, but bring those that the targets have',
    },
    verify: {
      type: 'boolean',
      describe:
        'then load the latest snapshot of each service aside, where it is, and compare it; that needs space for a second copy there',
    },
    'verify-on': {
      type: 'string',
      value: 'TARGET',
      describe:
        'with --verify, load what this machine keeps on this target instead, which has a container of the same name, and the module by a service of that type; it becomes no snapshot of that target',
    },
  },
  exitStatus: { 1: 'not all state was saved or verified, or nothing matches the selection' },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-snapshots(1)', 'davit-restore(1)', 'davit-migrate(1)', 'davit-clean-snapshots(1)'],
  interrupted: {
    once: 'snapshots that were begun are complete; the same command takes and brings the others',
    twice: 'snapshots that were begun are completed on their targets; the same command brings them',
  },
} as const satisfies ToolDescription
