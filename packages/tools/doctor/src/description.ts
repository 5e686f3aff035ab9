import {
  connectionEnvironment,
  interfaceOptions,
  profileOptions,
  stateEnvironment,
  type ToolDescription,
  trustOptions,
} from '@davit/tool'

export const description = {
  name: 'davit-doctor',
  summary: 'Find out what is wrong with this machine and the targets, and tell what to do about it',
  description: [
    'Looks at this machine: versions, ssh with its keys and agent, the state and what it remembers of the deployment, the store, disks, the clock, isolation of builds, completions, temporary files. Then at each machine with targets: whether it can be reached, its account, versions, disks and clock, who holds locks, and what runs have left that were cut off: profiles that were not reached, damaged records, services that were left behind, changes that are not confirmed. Nothing is changed anywhere.',
    'Everything that was looked at has a line; below it stands what it means and what to do, if it is not as it should be. An error keeps davit from working, a warning should be dealt with, a note need not. Without a network, or if nothing is deployed, this machine is looked at all the same.',
    'It does not ask services whether they run: davit-query --status does.',
  ],
  examples: [
    { command: 'davit-doctor', describe: 'look at this machine and the targets of what was deployed last' },
    { command: 'davit-doctor -q infrastructure.yaml', describe: 'show only what is wrong, on the targets of a model' },
    {
      command: 'davit-doctor --format json | jq \'.machines[].checks[] | select(.severity == "error")\'',
      describe: 'list the errors on targets',
    },
  ],
  operands: {
    source: {
      kind: 'optional',
      describe:
        'infrastructure model, or manifest, with the targets; by default, they are those of what was deployed last, if anything was',
    },
  },
  options: {
    ...profileOptions,
    deployed: { type: 'boolean', describe: 'use what was deployed last; so does a tool without an operand' },
    ...interfaceOptions,
    ...trustOptions,
    format: {
      type: 'choice',
      choices: ['text', 'json'],
      default: 'text',
      group: 'Output options',
      describe: 'format of the result',
    },
    quiet: {
      type: 'boolean',
      short: 'q',
      env: ['DAVIT_QUIET'],
      group: 'Output options',
      describe: 'show only what is not as it should be',
    },
  },
  exitStatus: {
    0: 'nothing has to be done',
    2: 'there are errors or warnings; a target that cannot be reached is an error',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-query(1)', 'davit-journal(1)', 'davit-collect-garbage(1)', 'davit-env(1)'],
  interrupted: {
    announcement: 'stopping',
    once: 'nothing was changed; run the same command again',
    twice: 'nothing was changed; run the same command again',
  },
} as const satisfies ToolDescription
