import type { OptionTable } from './option.ts'

/** Option of tools that may only look: in a dry run, or always. */
export const trustOptions = {
  'trust-programs': {
    type: 'boolean',
    env: ['DAVIT_TRUST_PROGRAMS'],
    group: 'Connection options',
    describe:
      'let the documents start programs on this machine that the current generation does not use: client executables of targets, commands of secrets, and modules; and send secrets to machines that it does not have. Without this option, a tool that only looks refuses them',
  },
} as const satisfies OptionTable
