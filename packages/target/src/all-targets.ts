import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'

import type { ReachedTargets } from './reach-targets.ts'
import type { ShellTarget } from './shell-target.ts'

/** All targets, for what is done everywhere or nowhere: one that cannot be reached is an error that names them all. */
export function allTargets({ targets, unreachable }: ReachedTargets): readonly ShellTarget[] {
  if (unreachable.size > 0) throw unreachableError(unreachable)
  return [...targets.values()]
}

function unreachableError(unreachable: ReadonlyMap<TargetName, DavitError>): DavitError {
  const errors = [...unreachable.values()]
  const names = [...unreachable.keys()].map((name) => `'${name}'`).join(', ')
  const [first] = errors
  return new DavitError('targets-unreachable', `cannot reach ${names}`, {
    exitStatus: Math.max(...errors.map(({ exitStatus }) => exitStatus)),
    diagnostics: [...unreachable].map(([name, error]) => ({
      severity: 'error',
      message: `target '${name}': ${error.message}`,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })),
    ...(first === undefined ? {} : { cause: first.cause }),
  })
}
