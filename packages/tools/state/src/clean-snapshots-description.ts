import {
  connectionEnvironment,
  onOptions,
  profileOptions,
  skipOptions,
  stateEnvironment,
  type ToolDescription,
} from '@davit/tool'

import { deployedOptions, dryRunOptions, selectionOptions, whereOptions } from './options.ts'

const { container, component } = selectionOptions

export const description = {
  name: 'davit-clean-snapshots',
  summary: 'Remove old snapshots of the state of services',
  description: [
    'Removes all but the last snapshots of each component, on the targets and on this machine, and whatever of snapshots is no longer part of any list, as a crash may leave it. State itself is not touched.',
    'On the targets, this concerns the services of the manifest; with an infrastructure, all components, also those of other deployments and of services that were removed; with -c or -C, what is selected. On this machine, it concerns all that it keeps of the deployment. A snapshot that a deployment has brought to a target and is still to restore is kept, and beside the last N, unless N is 0, that of what a restoration replaced last.',
  ],
  examples: [
    { command: 'davit-clean-snapshots --keep 3 --dry-run', describe: 'show what would be removed, with sizes' },
    {
      command: 'davit-clean-snapshots --keep 1 --where targets',
      describe: 'keep only the last one of each on the targets',
    },
    { command: 'davit-clean-snapshots --keep 0 -C old-accounts', describe: 'remove all snapshots of a component' },
  ],
  operands: {
    document: "manifest or infrastructure with the targets, '-' for standard input; by default the deployed manifest",
  },
  options: {
    ...profileOptions,
    ...deployedOptions,
    ...whereOptions,
    keep: {
      type: 'integer',
      value: 'N',
      minimum: 0,
      describe: 'how many snapshots of each component to keep; must be given',
    },
    ...onOptions,
    container,
    component,
    ...skipOptions,
    ...dryRunOptions,
  },
  exitStatus: { 1: 'some snapshots could not be removed' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-snapshots(1)', 'davit-snapshot(1)', 'davit-collect-garbage(1)'],
  interrupted: {
    once: 'everything that is to be kept is still there; the same command continues',
    twice: 'everything that is to be kept is still there; the same command continues',
  },
} as const satisfies ToolDescription
