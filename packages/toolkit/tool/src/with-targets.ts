import { connectionPool } from '@davit/connection'
import type { Infrastructure } from '@davit/documents'
import { type Machine, openMachine, type ReachedTargets, reachTargets, type Role } from '@davit/target'

import type { Environment, ToolContext } from './tool-context.ts'
import { usageError } from './usage-error.ts'

type ConnectingContext = Pick<ToolContext<unknown>, 'environment' | 'report' | 'signal'>

/**
 * Works with connections to all targets of an infrastructure, to do there what a role can do; they end with the work.
 * `openHere` connects to the machine on which the tool itself runs, in the same way.
 */
export async function withTargets<R extends Role, Result>(
  infrastructure: Infrastructure,
  context: ConnectingContext & { readonly role: R },
  use: (reached: ReachedTargets<R>, openHere: () => Promise<Machine<R>>) => Promise<Result>,
): Promise<Result> {
  const answerSeconds = answerSecondsIn(context.environment)
  const { report, role } = context
  const over = new AbortController()
  const signal = AbortSignal.any([context.signal, over.signal])
  const pool = connectionPool(context)
  try {
    const options = { role, answerSeconds, report, signal }
    const reached = await reachTargets(infrastructure, pool, options)
    // Who was interrupted while it connected is not told that nobody could be reached.
    context.signal.throwIfAborted()
    return await use(reached, () => openMachine(() => pool.connect({ kind: 'local' }), options))
  } finally {
    over.abort()
    await pool.close()
  }
}

/** Nothing where the environment leaves it to the default. */
export function answerSecondsIn(environment: Environment): number | undefined {
  const text = environment['DAVIT_ANSWER_TIMEOUT'] ?? ''
  if (text === '') return undefined
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw usageError(
    `variable 'DAVIT_ANSWER_TIMEOUT' cannot be '${text}'`,
    'it is a number of seconds from 1 up to 999999',
  )
}
