import { type DirectSsh, directSsh } from '@davit/connection'

import type { ToolContext } from './tool-context.ts'

/** The ways between targets, if they are to be used. */
export function directOf({
  args,
  environment,
}: Pick<ToolContext<{ readonly direct: boolean }>, 'args' | 'environment'>): DirectSsh | undefined {
  return args.direct ? directSsh({ environment }) : undefined
}
