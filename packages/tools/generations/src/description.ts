import { type ToolDescription, profileOptions, stateEnvironment } from '@davit/tool'

export const description = {
  name: 'davit-generations',
  summary: 'List, show, compare, print and delete the generations of a deployment on the coordinator',
  description: [
    'Without an option, lists the generations, oldest first: number, time, number of services and targets, user, and which one is current.',
    '--show tells what a generation was made from: the models, the options of davit-env, who deployed it and when, the plan that was carried out, and what was reported meanwhile. The models can be printed as they were read, with --model.',
    '--diff tells what differs between two generations: services, targets, profiles and state that moves. The services of both are paired by their names. If nothing differs, it prints nothing, and says so.',
    'Generations to delete are given as numbers, such as 1,2; as 30d, for those replaced more than 30 days ago; or as old, for all but the current one, which is never deleted. Their packages remain until davit-collect-garbage removes them.',
    'To return to a generation, distribute and activate its manifest, then run davit-set --generation; davit-env --rollback and --switch-to-generation do all of that.',
  ],
  examples: [
    { command: 'davit-generations', describe: 'list all generations' },
    { command: 'davit-generations --print 3 > manifest.xml', describe: 'print what was deployed then' },
    { command: 'davit-generations --show 3', describe: 'show what it was made from, by whom, and what was done' },
    {
      command: 'davit-generations --show 3 --model services.yaml > services.yaml',
      describe: 'get back a model as it was then',
    },
    { command: 'davit-generations --diff 2 3', describe: 'show what differs between two generations' },
    { command: 'davit-generations --diff 2', describe: 'show what differs between one and the current one' },
    { command: 'davit-generations --delete 30d', describe: 'delete those replaced more than 30 days ago' },
  ],
  operands: { generation: 'with --diff: the generation to compare with, instead of the current one' },
  options: {
    ...profileOptions,
    show: {
      type: 'integer',
      value: 'N',
      minimum: 1,
      describe: 'show what a generation was made from, by whom and when, with which plan and outcome',
    },
    model: {
      type: 'string',
      value: 'FILE',
      describe:
        'with --show: print one of the models that the generation was made from, as it was read; any end of its path will do',
    },
    stack: {
      type: 'boolean',
      describe:
        'with --show or --current: print the compiled stack that the generation was made from; with --current nothing if there is none',
    },
    diff: {
      type: 'integer',
      value: 'N',
      minimum: 1,
      describe: 'show what differs between generation N and another one, or the current one',
    },
    format: {
      type: 'choice',
      choices: ['text', 'json'],
      default: 'text',
      describe: 'format of the list, of --show and of --diff',
    },
    print: {
      type: 'integer',
      value: 'N',
      minimum: 1,
      describe: 'print the manifest of a generation as it was deployed',
    },
    current: {
      type: 'boolean',
      describe: 'print the manifest of the current generation as it was deployed, or nothing if there is none',
    },
    previous: {
      type: 'boolean',
      describe:
        'print the number of the generation that a rollback returns to: the one before the current one, or the destination of a rollback that was cut off',
    },
    'begin-rollback': {
      type: 'boolean',
      describe:
        'print the same number, and record that a rollback was begun, so that repeating it does not go two back',
    },
    'end-rollback': {
      type: 'boolean',
      describe: 'record that the rollback is finished, unless another one was begun since',
    },
    delete: { type: 'string', value: 'GENERATIONS', describe: 'delete generations: numbers, Nd or old' },
    'delete-all': {
      type: 'boolean',
      describe: 'delete all generations, including the current one: the deployment is forgotten, but not undeployed',
    },
    forget: {
      type: 'string',
      value: 'TARGET',
      describe:
        'no longer warn of services that keep running on a target removed from the infrastructure, because they are gone or managed otherwise',
    },
  },
  exitStatus: { 1: 'there is no such generation, target or model, or it is the current generation' },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-env(1)', 'davit-set(1)', 'davit-journal(1)', 'davit-collect-garbage(1)'],
} as const satisfies ToolDescription
