import { interfaceOptions, originOptions, outputOptions, type ToolDescription } from '@davit/tool'

const group = 'Target options'

export const description = {
  name: 'davit-compile-stack',
  summary: 'Compile a stack file, and print what its target understands',
  description: [
    'Finds the stack file (Mu.json, Mu.yaml or Mu.yml) in this directory or above it, or takes the one that is named, and compiles it with the workspace around it. It fetches nothing: stacks that no place has are reported, and davit-fetch-stacks gets them.',
    'Every problem is reported with its code and its place in the file as written. Nothing but files and the command line has an influence: the same files and arguments give the same bytes.',
    'Words after -- are arguments of the stack: NAME=VALUE, --NAME VALUE, or --NAME alone, which is true.',
    'For machines, the result is an architecture model in JSON, for davit-normalize -A: each leaf of the stack is a service, placed on the targets of the infrastructure model of the cluster, or of -i. What runs stays where it is, if --previous names the manifest that is deployed.',
    'For the cloud aws, with or without the scheduler ecs, the result is a template of CloudFormation, in YAML: one resource for each instance of aws/x/cf. Targets but machines and aws can only be checked so far, with --skip-codegen.',
    'With --skip-codegen, the result is the compiled stack: the tree of instances with bound properties, chosen endpoints, their order, and pinned references.',
  ],
  examples: [
    {
      command: 'davit-compile-stack network -t aws -- range=10.0.0.0/16 > network.yaml',
      describe: 'make a template for aws',
    },
    {
      command: 'davit-compile-stack shop -c test --output shop.json -- greeting=hello && davit-normalize -A shop.json',
      describe: 'place a stack on the machines of a cluster',
    },
    {
      command: 'davit-compile-stack shop --skip-codegen -c test -- greeting=hello',
      describe: 'check a stack for a cluster, and look at what it consists of',
    },
    {
      command: 'davit-compile-stack shop --skip-codegen -t gcp:gke --log-format json --output /dev/null',
      describe: 'check it for another target, for programs',
    },
  ],
  usage: ['[OPTION…] [STACK] [-- ARGUMENT…]'],
  operands: {
    stack: {
      kind: 'optional',
      describe: 'stack file, or the directory where the search for it begins; by default this one',
    },
    arguments: { kind: 'arguments', describe: 'arguments of the stack' },
  },
  options: {
    cluster: {
      type: 'string',
      short: 'c',
      value: 'CLUSTER',
      group,
      describe: 'cluster of the workspace for which to compile; without it, the default one',
    },
    target: {
      type: 'string',
      short: 't',
      value: 'CLOUD[:SCHEDULER]',
      group,
      describe: 'cloud and scheduler, where the cluster does not say',
    },
    infrastructure: {
      type: 'string',
      short: 'i',
      value: 'FILE',
      group,
      describe: 'infrastructure model with the machines; the cloud is machines then',
    },
    'target-property': {
      ...interfaceOptions['target-property'],
      group,
      describe: `${interfaceOptions['target-property'].describe}; others reach it by that, unless the cluster or a property 'address' says otherwise`,
    },
    'skip-codegen': { type: 'boolean', describe: 'make no code for the target: print the compiled stack' },
    previous: {
      type: 'list',
      value: 'FILE',
      group: 'Options for changes',
      describe:
        'manifest of what is deployed, whose services stay where they are, or an earlier compiled stack, to tell what changes',
    },
    'no-replace': {
      type: 'boolean',
      group: 'Options for changes',
      describe: 'refuse changes of readonly properties, which replace their service',
    },
    'list-clusters': {
      type: 'boolean',
      describe: 'print the names of the clusters of the workspace, a line each, and stop',
    },
    'list-arguments': {
      type: 'boolean',
      describe:
        'for shells: print the arguments that a stack takes, a line each, and stop; words after -- are a command line, whose stack it is',
    },
    ...outputOptions,
    ...originOptions,
  },
  environment: {
    HOME: 'directory with the stacks that were fetched for all workspaces, in .Mudeps',
    MUROOT: 'directory with further stacks, in lib and bin/stacks',
  },
  seeAlso: ['davit-fetch-stacks(1)', 'davit-normalize(1)', 'davit-env(1)'],
} as const satisfies ToolDescription
