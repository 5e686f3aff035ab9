import type { OptionTable } from '@davit/tool'

const GENERATIONS = { group: 'Generations and plans, instead of models' } as const

/** Options that take the place of models. */
export const generationOptions = {
  rollback: {
    type: 'boolean',
    ...GENERATIONS,
    continued: true,
    describe:
      'deploy the generation before the current one; no generation is added: the coordinator and the targets return to generations that they have, so that each rollback goes one further back',
  },
  'switch-to-generation': {
    type: 'integer',
    value: 'N',
    minimum: 1,
    ...GENERATIONS,
    continued: true,
    describe: 'deploy generation N in the same way',
  },
  plan: {
    type: 'string',
    value: 'FILE',
    ...GENERATIONS,
    // A plan says what is done, and with which options.
    excludes: [
      'no-upgrade',
      'repair',
      'restart-changed',
      'no-migration',
      'restore',
      'take-over',
      'beside-original',
      'delete-state',
      'keep',
      'on',
    ],
    describe:
      'carry out exactly this plan of davit-plan, with the manifest and the options that it was made with, and refuse if what is active has changed meanwhile, so that something else would be done',
  },
  resume: {
    type: 'boolean',
    ...GENERATIONS,
    describe:
      'go on with a deployment that was cut off, or failed and was not undone, with the options that it had; with -i, also if another coordinator began it: then its targets tell what it wanted, and options have to be given again',
  },
  prefer: {
    type: 'choice',
    choices: ['coordinator', 'targets'],
    ...GENERATIONS,
    describe:
      'with --resume, what to go on with if somebody has deployed something else since: what is recorded here, or what the targets were told last',
  },
  abort: {
    type: 'boolean',
    ...GENERATIONS,
    describe:
      'go back to the current generation: undo what a deployment has begun that was cut off, or failed and was not undone; with -i, to what the profiles of the targets say, also if another coordinator deployed it',
  },
  'list-generations': { type: 'boolean', ...GENERATIONS, describe: 'show what was deployed, when and by whom' },
  'delete-generations': {
    type: 'string',
    value: 'GENERATIONS',
    ...GENERATIONS,
    describe:
      'delete generations: numbers such as 1,2; 30d for those replaced more than 30 days ago; old for all but the current one',
  },
  'delete-all-generations': {
    type: 'boolean',
    ...GENERATIONS,
    describe: 'forget the deployment, but undeploy nothing',
  },
  forget: {
    type: 'string',
    value: 'TARGET',
    ...GENERATIONS,
    describe:
      'no longer warn of services left running on a target removed from the infrastructure, because they are gone or managed otherwise',
  },
} as const satisfies OptionTable
