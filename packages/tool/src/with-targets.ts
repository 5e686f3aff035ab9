import { connectionPool } from '@davit/connection'
import type { Infrastructure } from '@davit/documents'
import { type ReachedTargets, reachTargets } from '@davit/target'

import type { ToolContext } from './tool-context.ts'

type ConnectingContext = Pick<ToolContext<unknown>, 'environment' | 'report' | 'signal'>

/** Works with connections to all targets of an infrastructure, which end with the work. */
export async function withTargets<Result>(
  infrastructure: Infrastructure,
  context: ConnectingContext,
  use: (reached: ReachedTargets) => Promise<Result>,
): Promise<Result> {
  const pool = connectionPool(context)
  try {
    return await use(await reachTargets(infrastructure, pool))
  } finally {
    await pool.close()
  }
}
