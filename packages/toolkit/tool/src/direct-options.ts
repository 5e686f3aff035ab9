import { type DirectSsh, directSsh } from '@davit/connection'

import type { OptionTable } from './option.ts'
import type { ToolContext } from './tool-context.ts'

/** Whether state travels by way of the coordinator. */
export const directOptions = {
  direct: {
    type: 'boolean',
    describe:
      'let state travel from target to target, without a copy on this machine: the target that has it logs in to the other with your ssh agent, which is forwarded to it meanwhile; where that does not work, state travels through this machine, which is said',
  },
} as const satisfies OptionTable

/** The ways between targets, if they are to be used. */
export function directOf({
  args,
  environment,
}: Pick<ToolContext<{ readonly direct: boolean }>, 'args' | 'environment'>): DirectSsh | undefined {
  return args.direct ? directSsh({ environment }) : undefined
}
