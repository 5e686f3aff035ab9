import {
  connectionEnvironment,
  lockOptions,
  secretEnvironment,
  stateEnvironment,
  type ToolDescription,
} from '@davit/tool'

import { moveOptions } from './options.ts'

export const description = {
  name: 'davit-restore',
  summary: 'Replace the state of services by snapshots that this machine keeps',
  description: [
    'Sends each selected service whose state moves with it (deployState) the last snapshot that this machine keeps of it, and replaces its state by that. It is the newest of any target; of a service with several instances, if possible the one of the same target. State of which no snapshot is kept is left as it is, which is said.',
    'Something has to say which state is meant: -S, -c, -C or --on, --old-manifest, or --all for the state of all services, with all kept snapshots.',
    'Works under the lock of the deployment. A service whose module says so (restore-first), such as a process with its directory, is stopped meanwhile, and started again even if the restore fails; what depends on it keeps running.',
    'With --old-manifest, restores only what the old manifest has elsewhere or not at all: from the target on which it was before.',
    'Prints the manifest unchanged, if one is given.',
  ],
  examples: [
    { command: 'davit-restore -S accounts --dry-run', describe: 'show which snapshot would be restored, and where' },
    { command: 'davit-restore -S accounts --snapshot 3f9ab2', describe: 'go back to a certain snapshot' },
    {
      command: 'davit-restore --all --snapshot 2026-11-22',
      describe: 'go back with all services to the end of that day (UTC)',
    },
    { command: 'davit-restore -o old.xml manifest.xml', describe: 'restore what moved since the old manifest' },
  ],
  operands: { manifest: "manifest with the services, '-' for standard input; by default the deployed one" },
  options: {
    ...moveOptions,
    all: {
      type: 'boolean',
      describe:
        'send all snapshots, oldest first, instead of only the latest; without a selection, restore all services',
    },
    ...lockOptions,
    'transfer-only': { type: 'boolean', describe: 'send the snapshots, but restore none' },
    discard: {
      type: 'boolean',
      describe:
        'do not save what is replaced; by default it is kept on its target as the snapshot before, and a service whose state cannot be saved is left as it is',
    },
    snapshot: {
      type: 'string',
      value: 'NAME|WHEN',
      describe:
        'restore this one: a name, or its beginning if that is unique; or the newest that is not later than a date or time, such as 2026-11-23 or 2026-11-23T02:00, in UTC unless an offset such as +01:00 follows',
    },
  },
  exitStatus: { 1: 'not all state was restored, or there is no such snapshot' },
  environment: { ...stateEnvironment, ...connectionEnvironment, ...secretEnvironment },
  seeAlso: ['davit-snapshots(1)', 'davit-snapshot(1)', 'davit-migrate(1)'],
  interrupted: {
    once: 'restores that were begun are complete; the same command restores the others',
    twice:
      'restores that were begun are completed on their targets; a service that was stopped for that is started by the next davit-env; the same command restores the others',
  },
} as const satisfies ToolDescription
