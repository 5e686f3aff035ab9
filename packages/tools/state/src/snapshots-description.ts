import {
  connectionEnvironment,
  profileOptions,
  skipOptions,
  stateEnvironment,
  type ToolDescription,
  trustOptions,
} from '@davit/tool'

import { storeOptions } from './store-options.ts'
import { deployedOptions, selectionOptions, whereOptions } from './options.ts'

export const description = {
  name: 'davit-snapshots',
  summary: 'List the snapshots of the state of services',
  description: [
    'Prints a line for each snapshot: its service, the target on which it was taken, when (UTC), its size, its name, whether the target or this machine (the coordinator) keeps it, and when and where davit-snapshot --verify has loaded it last, or only compared its content, or failed. If the same state was found again later, the second time is the last one.',
    'Lists everything that the targets of the manifest keep, and everything that this machine keeps of the deployment, including the state of services and targets that are no longer part of it. A target that cannot be reached, or whose answer makes no sense, is named, and the others are listed all the same.',
    'With --store, works on a store of snapshots of this machine by itself, whatever is deployed: it has the layout of Dysnomia. Operands are then names of snapshots, CONTAINER/COMPONENT/NAME, or directories to import.',
  ],
  examples: [
    { command: 'davit-snapshots', describe: 'list the snapshots of what is deployed' },
    { command: 'davit-snapshots --where coordinator -S accounts', describe: 'what this machine keeps of one service' },
    {
      command: 'davit-snapshots --store /var/state/dysnomia --latest',
      describe: 'what modules have kept on this machine',
    },
    { command: 'davit-snapshots --format json manifest.xml', describe: 'for programs' },
  ],
  operands: {
    manifest: "manifest with the targets, '-' for standard input; by default the deployed one",
    name: { kind: 'list', describe: 'with --store: names of snapshots, or directories' },
  },
  options: {
    ...profileOptions,
    ...deployedOptions,
    ...whereOptions,
    ...selectionOptions,
    format: {
      type: 'choice',
      choices: ['table', 'json'],
      default: 'table',
      describe: 'json prints a list of objects, with all that is known of each snapshot',
    },
    ...skipOptions,
    ...trustOptions,
    ...storeOptions,
  },
  exitStatus: { 1: 'with --store: the operation failed', 69: 'some targets could not be read; the others are listed' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-snapshot(1)', 'davit-restore(1)', 'davit-clean-snapshots(1)'],
} as const satisfies ToolDescription
