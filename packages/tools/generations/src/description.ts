import { type ToolDescription, profileOptions, stateEnvironment } from '@davit/tool'

export const description = {
  name: 'davit-generations',
  summary: 'List, print and delete the generations of a deployment on the coordinator',
  description: [
    'Without an option, lists the generations, oldest first: number, time, number of services and targets, user, and which one is current.',
    'Generations to delete are given as numbers, such as 1,2; as 30d, for those replaced more than 30 days ago; or as old, for all but the current one, which is never deleted. Their packages remain until davit-collect-garbage removes them.',
    'To return to a generation, distribute and activate its manifest, then run davit-set --generation; davit-env --rollback and --switch-to-generation do all of that.',
  ],
  examples: [
    { command: 'davit-generations', describe: 'list all generations' },
    { command: 'davit-generations --print 3 > manifest.xml', describe: 'print what was deployed then' },
    { command: 'davit-generations --delete 30d', describe: 'delete those replaced more than 30 days ago' },
  ],
  options: {
    ...profileOptions,
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
  exitStatus: { 1: 'there is no such generation or target, or it is the current one' },
  environment: { ...stateEnvironment },
  seeAlso: ['davit-env(1)', 'davit-set(1)', 'davit-collect-garbage(1)'],
} as const satisfies ToolDescription
