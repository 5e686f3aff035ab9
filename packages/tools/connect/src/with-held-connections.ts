import { holdConnections, HOLDER_VARIABLE, isHolderThere } from '@davit/connection'
import type { Environment, ToolContext } from '@davit/tool'

/**
 * Calls a function with an environment that names a holder of connections: the one that is there already, or a new one, which
 * ends with the function.
 */
export async function withHeldConnections<Result>(
  { environment: around }: Pick<ToolContext<unknown>, 'environment'>,
  use: (environment: Environment) => Promise<Result>,
): Promise<Result> {
  // Who called this tool did not call those that the command runs.
  const { DAVIT_CALLER: _, ...environment } = around
  if (await isHolderThere(environment)) return use(environment)
  const holder = await holdConnections({ environment })
  try {
    return await use({ ...environment, [HOLDER_VARIABLE]: holder.socket })
  } finally {
    await holder.close()
  }
}
