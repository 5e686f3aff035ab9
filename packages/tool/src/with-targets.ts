import { connectionPool } from '@davit/connection'
import { DavitError } from '@davit/diagnostics'
import type { Infrastructure, TargetName } from '@davit/documents'
import { type ReachedTargets, reachTargets, type ShellTarget } from '@davit/target'

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

/** All targets, for what is done everywhere or nowhere: one that cannot be reached is an error that names them all. */
export function allTargets({ targets, unreachable }: ReachedTargets): readonly ShellTarget[] {
  if (unreachable.size > 0) throw unreachableError(unreachable)
  return [...targets.values()]
}

function unreachableError(unreachable: ReadonlyMap<TargetName, DavitError>): DavitError {
  const errors = [...unreachable.values()]
  const names = [...unreachable.keys()].map((name) => `'${name}'`).join(', ')
  const [first] = errors
  return new DavitError('targets-unreachable', `cannot reach ${names}: nothing was changed`, {
    exitStatus: Math.max(...errors.map(({ exitStatus }) => exitStatus)),
    diagnostics: [...unreachable].map(([name, error]) => ({
      severity: 'error',
      message: `target '${name}': ${error.message}`,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })),
    ...(first === undefined ? {} : { cause: first.cause }),
  })
}
