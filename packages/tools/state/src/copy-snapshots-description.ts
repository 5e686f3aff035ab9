import {
  connectionEnvironment,
  copyOptions,
  infrastructureOptions,
  profileOptions,
  stateEnvironment,
  type ToolDescription,
} from '@davit/tool'

export const description = {
  name: 'davit-copy-snapshots',
  summary: 'Copy snapshots of a component to a target or from it',
  description: [
    'Copies the latest snapshot of a component, or all, between what this machine keeps of a deployment and what a target keeps. It is then the latest one on the other side. Only what is missing there travels, and is verified. State itself is not touched: davit-restore restores it.',
    'With --to, this machine sends what it keeps of the target, or, if it keeps nothing of it, what it got last of this component from another target.',
  ],
  examples: [
    {
      command: 'davit-copy-snapshots --from -t test1 -i infrastructure.yaml -c mysql-database -C accounts',
      describe: 'bring the latest snapshot to this machine',
    },
    {
      command: 'davit-copy-snapshots --to -t test2 -c mysql-database -C accounts --all',
      describe: 'send all snapshots to a target of the deployment',
    },
  ],
  options: {
    ...copyOptions,
    container: {
      type: 'string',
      short: 'c',
      value: 'CONTAINER',
      required: true,
      describe: 'container of the component',
    },
    component: {
      type: 'string',
      short: 'C',
      value: 'COMPONENT',
      required: true,
      describe: 'component, which is the file name of the package without the hash',
    },
    all: { type: 'boolean', describe: 'copy all snapshots, oldest first, instead of only the latest' },
    ...infrastructureOptions,
    ...profileOptions,
  },
  exitStatus: { 66: 'the side that has to send has no snapshot of the component' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-snapshots(1)', 'davit-snapshot(1)', 'davit-restore(1)', 'davit-copy-closure(1)'],
  interrupted: {
    once: 'snapshots that were copied are complete; the same command copies the others',
    twice: 'snapshots that were copied are complete; the same command copies the others',
  },
} as const satisfies ToolDescription
