import { connectionPool, type ConnectionRequest } from '@davit/connection'
import type { Infrastructure } from '@davit/documents'
import { type Machine, openMachine, type ReachedTargets, reachTargets, type Role } from '@davit/target'

import { answerSecondsIn } from './answer-seconds.ts'
import type { ToolContext } from './tool-context.ts'

/** Opens a machine with a helper of a role, over the connections of the targets. */
export type OpenMachine = <R extends Role>(request: ConnectionRequest, role: R) => Promise<Machine<R>>

type ConnectingContext = Pick<
  ToolContext<unknown>,
  'environment' | 'report' | 'trace' | 'secrets' | 'signal' | 'openPool'
>

/**
 * Connects to all targets of an infrastructure, with helpers of a role, and closes the connections when `use` is done.
 * `openHere` connects to the machine on which the tool itself runs, `openOther` to any machine with a helper of another role.
 */
export async function withTargets<R extends Role, Result>(
  infrastructure: Infrastructure,
  context: ConnectingContext & { readonly role: R },
  use: (reached: ReachedTargets<R>, openHere: () => Promise<Machine<R>>, openOther: OpenMachine) => Promise<Result>,
): Promise<Result> {
  const answerSeconds = answerSecondsIn(context.environment)
  const { report, trace, role, secrets } = context
  const over = new AbortController()
  const signal = AbortSignal.any([context.signal, over.signal])
  const { openPool = connectionPool } = context
  const pool = openPool(context)
  try {
    const options = { role, answerSeconds, report, trace, secrets, signal }
    const reached = await reachTargets(infrastructure, pool, options)
    // An interruption while connecting must not be reported as unreachable targets.
    context.signal.throwIfAborted()
    const open: OpenMachine = (request, otherRole) =>
      openMachine(() => pool.connect(request), { ...options, role: otherRole })
    return await use(reached, () => openMachine(() => pool.connect({ kind: 'local' }), options), open)
  } finally {
    over.abort()
    await pool.close()
  }
}
