import type { OptionTable } from './option.ts'

/** Whether state travels directly from target to target. */
export const directOptions = {
  direct: {
    type: 'boolean',
    describe:
      'let state travel from target to target, without a copy on this machine: the target that has it logs in to the other with your ssh agent, which is forwarded to it meanwhile; where that does not work, state travels through this machine, which is said',
  },
} as const satisfies OptionTable
