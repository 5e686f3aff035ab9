import { DavitError, ExitStatus, type Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { Role } from '@davit/target-runtime'

import { say } from './messages.ts'
import type { ReachedTargets } from './reach-targets.ts'
import type { ShellTarget } from './shell-target.ts'

/** Returns all targets, for work that is done everywhere or nowhere; throws an error that names every unreachable one. */
export function allTargets<R extends Role>({ targets, unreachable }: ReachedTargets<R>): readonly ShellTarget<R>[] {
  if (unreachable.size > 0) throw unreachableError(unreachable)
  return [...targets.values()]
}

export interface SkipTerms {
  /** How unreachable targets are treated. */
  readonly unreachable: 'refuse' | 'skip'
  readonly report: Report
}

/**
 * Returns the targets that were reached and, with `skip`, reports the others. Throws in any case if a host refused the connection
 * (because of its key or the account), or if no target is left.
 */
export function targetsToUse<R extends Role>(
  reached: ReachedTargets<R>,
  { unreachable, report }: SkipTerms,
): readonly ShellTarget<R>[] {
  if (reached.unreachable.size === 0) return allTargets(reached)
  const skipped = [...reached.unreachable].filter(([, error]) => isSkippable(error))
  const isLeft = reached.targets.size > 0 && skipped.length === reached.unreachable.size
  if (unreachable === 'refuse' || !isLeft)
    throw unreachableError(reached.unreachable, isLeft ? { hint: HOW_TO_SKIP } : {})
  for (const [target, { message }] of skipped) report(say('target-skipped', { target, reason: message }))
  return [...reached.targets.values()]
}

/** Whether `--skip-unreachable` may skip a target that failed with this error. */
export function isSkippable({ exitStatus }: DavitError): boolean {
  return exitStatus === ExitStatus.unreachable
}

const HOW_TO_SKIP =
  'nothing was done; --skip-unreachable continues without these targets and leaves their services alone'

function unreachableError(
  unreachable: ReadonlyMap<TargetName, DavitError>,
  advice: { readonly hint?: string } = {},
): DavitError {
  const errors = [...unreachable.values()]
  const names = [...unreachable.keys()].map((name) => `'${name}'`).join(', ')
  const [first] = errors
  return new DavitError('targets-unreachable', `cannot reach ${names}`, {
    ...advice,
    fields: { targets: [...unreachable.keys()] },
    exitStatus: Math.max(...errors.map(({ exitStatus }) => exitStatus)),
    diagnostics: [...unreachable].map(([name, error]) => ({
      severity: 'error',
      message: `target '${name}': ${error.message}`,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })),
    ...(first === undefined ? {} : { cause: first.cause }),
  })
}
