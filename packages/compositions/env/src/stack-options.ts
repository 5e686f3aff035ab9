import type { ArgumentsOf, OperandTable, OptionTable } from '@davit/tool'

const STACK = { group: 'Stacks, instead of models' } as const

/** Options for deploying a stack; `-i` belongs to them as well. */
export const stackOptions = {
  stack: {
    type: 'string',
    value: 'STACK',
    ...STACK,
    describe:
      "stack file, or the directory where the search for it begins, such as '.'; words after -- are its arguments, and what runs stays where it is",
  },
  cluster: {
    type: 'string',
    short: 'c',
    value: 'CLUSTER',
    ...STACK,
    describe: 'cluster of the workspace of the stack; without it, the default one',
  },
  target: {
    type: 'string',
    short: 't',
    value: 'CLOUD',
    ...STACK,
    describe: 'cloud of the stack; davit deploys to machines only, which is what it is without this option',
  },
  'no-replace': {
    type: 'boolean',
    ...STACK,
    describe: 'refuse changes of readonly properties, which replace their service',
  },
} as const satisfies OptionTable

/** What the user said about a stack. */
export type StackOrder = ArgumentsOf<typeof stackOptions, typeof stackOperands>

export const stackOperands = {
  arguments: { kind: 'arguments', describe: 'arguments of the stack: NAME=VALUE, --NAME VALUE, or --NAME alone' },
} as const satisfies OperandTable
