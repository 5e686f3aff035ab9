import { connectionPool, type ConnectionRequest, HERE } from '@davit/connection'
import type { Infrastructure, Manifest } from '@davit/documents'
import { type Machine, openMachine, type ReachedTargets, reachTargets, referencesIn, type Role } from '@davit/target'

import { secondsIn } from './seconds-in.ts'
import type { Run } from './tool-context.ts'
import { refuseStrangePrograms, STRANGE_SECRET, type Trust, trustedPool, trustedReferences } from './trust.ts'
import { unlessInterrupted } from './unless-interrupted.ts'

/** Opens a machine with a helper of a role, over the connections of the targets. */
export type OpenMachine = <R extends Role>(request: ConnectionRequest, role: R) => Promise<Machine<R>>

type ConnectingContext = Pick<Run, 'environment' | 'report' | 'trace' | 'secrets' | 'signal' | 'openPool' | 'answers'>

interface Connecting<R extends Role> extends ConnectingContext {
  readonly role: R
  readonly manifests: readonly Manifest[]
  /** What the infrastructure and the manifests may start on this machine. */
  readonly trust: Trust
}

/**
 * Connects to all targets of an infrastructure, with helpers of a role, and closes the connections when `use` is done.
 * Machines get the secrets to which the `manifests` refer there, whatever their records contain.
 * `openHere` connects to the machine on which the tool itself runs, `openOther` to any machine with a helper of another role.
 */
export async function withTargets<R extends Role, Result>(
  infrastructure: Infrastructure,
  context: Connecting<R>,
  use: (reached: ReachedTargets<R>, openHere: () => Promise<Machine<R>>, openOther: OpenMachine) => Promise<Result>,
): Promise<Result> {
  const answerSeconds = secondsIn(context.environment, 'DAVIT_ANSWER_TIMEOUT')
  const { report, trace, role, secrets, manifests, trust } = context
  refuseStrangePrograms(infrastructure, trust)
  secrets?.trust(trustedReferences(manifests, trust))
  const withheldAt = (request: ConnectionRequest) => ({
    references: referencesIn(manifests, request),
    reason: STRANGE_SECRET,
  })
  const secretsOf = (request: ConnectionRequest) =>
    secrets?.limitedTo(trustedReferences(manifests, trust, request), withheldAt(request))
  const over = new AbortController()
  const signal = AbortSignal.any([context.signal, over.signal])
  const { openPool = connectionPool } = context
  const pool = trustedPool(openPool(context), trust)
  try {
    const options = { role, answerSeconds, report, trace, signal }
    // Nothing has begun yet, so an interruption need not wait for machines that do not answer; nor are they unreachable then.
    const reached = await unlessInterrupted(
      reachTargets(infrastructure, pool, { ...options, secretsOf }),
      context.signal,
    )
    const open: OpenMachine = (request, otherRole) =>
      openMachine(() => pool.connect(request), { ...options, role: otherRole, secrets: secretsOf(request) })
    return await use(reached, () => openMachine(() => pool.connect(HERE), options), open)
  } finally {
    over.abort()
    await pool.close()
  }
}
