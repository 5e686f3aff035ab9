import {
  connectionEnvironment,
  interfaceOptions,
  originOptions,
  outputOptions,
  profileOptions,
  sizeEnvironment,
  stateEnvironment,
  storeEnvironment,
  type ToolDescription,
  trustOptions,
} from '@davit/tool'

import { MODEL_LANGUAGES } from './model-languages.ts'

export const description = {
  name: 'davit-reconstruct',
  summary: 'Read the manifest of a deployment back from its targets',
  description: [
    'Reads the current profile of each target and the records of its services, and prints the manifest that was deployed. Needs nothing but the infrastructure model, and changes nothing on the targets.',
    'With --set, the manifest becomes the current generation of this coordinator, unless that says the same already. From then on, the deployment belongs to this coordinator.',
    'With --as, writes models of services, infrastructure and distribution instead of the manifest. They name packages by their paths in the store, contain no properties that only packages have read, and give the same services with the same keys.',
    'With --wanted, prints what the last run was about to deploy when it was cut off, so that davit-env -D, or davit-env --resume, can go on with it.',
    'Where the profile of a target and its records contradict each other, or two targets do, both are shown, and nothing is printed until --prefer says which of them counts.',
  ],
  examples: [
    { command: 'davit-reconstruct infrastructure.yaml > manifest.xml', describe: 'read what is deployed' },
    {
      command: 'davit-reconstruct --set --closures infrastructure.yaml',
      describe: 'go on with a deployment after the disk of the coordinator was lost',
    },
    {
      command: 'davit-reconstruct --as yaml --directory recovered infrastructure.yaml',
      describe: 'write models of what is deployed, with packages by their paths in the store',
    },
    {
      command: 'davit-reconstruct --wanted infrastructure.yaml > manifest.xml',
      describe: 'read what a run wanted that was cut off on another machine',
    },
    {
      command: 'davit-reconstruct --partial infrastructure.yaml',
      describe: 'leave out what cannot be reached or read',
    },
  ],
  operands: {
    infrastructure: {
      kind: 'optional',
      describe:
        'infrastructure model: the targets to read; with --wanted, by default those of the run that is recorded here',
    },
  },
  options: {
    ...profileOptions,
    wanted: {
      type: 'boolean',
      describe:
        'print the manifest that the last run was about to reach when it was cut off, or nothing if there is no such run: what this coordinator has recorded, unless the targets know of something later, or else what the targets were told',
    },
    set: { type: 'boolean', describe: 'make the manifest the current generation of this coordinator' },
    closures: {
      type: 'boolean',
      describe:
        'also fetch the packages of all profiles from the targets; with --set, they are kept for the generation',
    },
    partial: {
      type: 'boolean',
      describe: 'leave out targets that cannot be read, and inter-dependencies of which nothing is known',
    },
    prefer: {
      type: 'choice',
      choices: ['profile', 'records', 'coordinator', 'targets'],
      describe:
        'what counts where they contradict each other: profile (what was deployed last) or records (what is active); with --wanted: coordinator (what is recorded here) or targets (what they were told)',
    },
    as: {
      type: 'choice',
      choices: MODEL_LANGUAGES,
      group: 'Output options',
      describe: 'write models in this language instead of printing the manifest',
    },
    directory: {
      type: 'string',
      value: 'DIRECTORY',
      default: '.',
      group: 'Output options',
      describe: 'where --as writes the models',
    },
    ...originOptions,
    ...interfaceOptions,
    ...trustOptions,
    format: {
      type: 'choice',
      choices: ['xml', 'json'],
      group: 'Output options',
      describe: 'format of the manifest: xml unless it says otherwise',
    },
    ...outputOptions,
  },
  exitStatus: {
    1: 'profiles and records contradict each other, or nothing is deployed under this name; with --wanted: the coordinator and the targets contradict each other, or not all targets know what was wanted',
    69: 'some targets cannot be reached',
  },
  environment: { ...stateEnvironment, ...storeEnvironment, ...connectionEnvironment, ...sizeEnvironment },
  seeAlso: ['davit-env(1)', 'davit-set(1)', 'davit-generations(1)'],
  interrupted: {
    once: 'nothing was changed; run the same command again',
    twice: 'nothing was changed on the targets; run the same command again',
  },
} as const satisfies ToolDescription
