import { outputOptions, profileOptions, stateEnvironment, type ToolDescription } from '@davit/tool'

const group = 'Placement options'

export const description = {
  name: 'davit-place',
  summary: 'Write a distribution model: which service goes to which target',
  description: [
    'Reads a services model and an infrastructure model, and prints a distribution model for them. It changes nothing, and asks no target.',
    "A target can take a service if it has a container of the service's type, and all tags that the service asks for. The services go round these targets in turn, both in the order of their names: each goes to the target that has the fewest so far.",
    'With --capacity, targets get services in proportion to what they can take, and never more than that of services that say how much they take. With --previous or --deployed, services stay where they are as long as they can, whatever else comes and goes.',
    'Services with their own targets are left out, but count. A service that another one uses on certain targets goes to those.',
    'If no target can take a service, nothing is printed, and the error tells what each target lacks.',
  ],
  examples: [
    {
      command: 'davit-place -s services.yaml -i infrastructure.yaml --output distribution.yaml',
      describe: 'spread the services evenly',
    },
    {
      command: 'davit-place -s services.nix -i infrastructure.nix --capacity numOfCores --format nix',
      describe: 'more services on targets with more cores',
    },
    {
      command: 'davit-place -s services.yaml -i infrastructure.yaml --deployed --tags database=ssd',
      describe: 'leave what is deployed where it is, but the database on targets with the tag ssd',
    },
  ],
  options: {
    services: {
      type: 'string',
      short: 's',
      value: 'FILE',
      required: true,
      describe: 'services model: what the services are',
    },
    infrastructure: {
      type: 'string',
      short: 'i',
      value: 'FILE',
      required: true,
      describe: 'infrastructure model: what the targets are',
    },
    'extra-params': {
      type: 'string',
      value: 'PARAMETERS',
      describe: 'additional parameters for functions in models: a JSON object, or a set in the Nix language',
    },
    'show-trace': { type: 'boolean', describe: 'show everything that Nix prints about an error in a model' },
    capacity: {
      type: 'string',
      value: 'NAME',
      group,
      describe:
        'what counts as the capacity of a target: numOfCores, or a property that is a number, such as memoryMB; an attribute of that name says how much of it a service takes',
    },
    tags: {
      type: 'list',
      value: 'SERVICE=TAG,…',
      group,
      describe:
        "tags that the targets of a service must have in their property 'tags', beside those of the service's attribute 'tags'",
    },
    previous: {
      type: 'string',
      value: 'MANIFEST',
      group,
      describe: 'manifest that says where services are; they stay there if they can',
    },
    deployed: { type: 'boolean', group, describe: 'the same, of what was deployed last from here' },
    ...profileOptions,
    format: {
      type: 'choice',
      choices: ['yaml', 'json', 'typescript', 'nix'],
      default: 'yaml',
      group: 'Output options',
      describe: 'language of the distribution model',
    },
    ...outputOptions,
  },
  exitStatus: { 1: 'no target can take some of the services' },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-capture-infrastructure(1)', 'davit-normalize(1)', 'davit-env(1)'],
} as const satisfies ToolDescription
