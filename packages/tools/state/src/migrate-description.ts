import {
  connectionEnvironment,
  directOptions,
  lockOptions,
  secretEnvironment,
  stateEnvironment,
  type ToolDescription,
} from '@davit/tool'

import { moveOptions } from './options.ts'

export const description = {
  name: 'davit-migrate',
  summary: 'Move the state of services to where a manifest has them now',
  description: [
    'Takes snapshots of state that the old manifest has elsewhere, brings them to this machine, sends them to where the services are now, and restores them there: davit-snapshot and davit-restore in one, under the lock. State of services that were removed is only saved. davit-env does the same in its plan, and before anybody is served; this tool is for doing it by hand, after --no-migration.',
    'If a snapshot fails, nothing is restored. What the new instances have received in the meantime is replaced. State on targets that are no longer in the infrastructure is skipped, which is said: davit-restore -o restores what this machine keeps of it.',
    'With --delete-state, the old state is then deleted, where no active service uses it and the new instance runs.',
    'Prints the manifest unchanged, if one is given.',
  ],
  examples: [
    { command: 'davit-migrate manifest.xml -o old.xml --dry-run', describe: 'show what would be moved' },
    {
      command: 'davit-generations --print 3 > old.json; davit-migrate -o old.json --delete-state',
      describe: 'move what generation 3 has elsewhere to where it is deployed now',
    },
  ],
  operands: { manifest: "manifest with the services now, '-' for standard input; by default the deployed one" },
  options: {
    ...moveOptions,
    ...lockOptions,
    ...directOptions,
    'transfer-only': {
      type: 'boolean',
      describe: 'take no snapshots and restore none, but bring and send those that the targets have',
    },
    'delete-state': { type: 'boolean', describe: 'then delete the old state' },
  },
  exitStatus: { 1: 'not all state was moved' },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-env(1)', 'davit-snapshot(1)', 'davit-restore(1)', 'davit-delete-state(1)'],
  interrupted: {
    once: 'what was begun is complete, and the old state is where it was; the same command moves the rest',
    twice:
      'what was begun is completed on its targets, and the old state is where it was; a service that was stopped for that is started by the next davit-env; the same command moves the rest',
  },
} as const satisfies ToolDescription
