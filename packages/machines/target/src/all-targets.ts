import { DavitError, ExitStatus, type Report } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { Role } from '@davit/target-runtime'

import { say } from './messages.ts'
import type { ReachedTargets } from './reach-targets.ts'
import type { ShellTarget } from './shell-target.ts'

/** All targets, for what is done everywhere or nowhere: one that cannot be reached is an error that names them all. */
export function allTargets<R extends Role>({ targets, unreachable }: ReachedTargets<R>): readonly ShellTarget<R>[] {
  if (unreachable.size > 0) throw unreachableError(unreachable)
  return [...targets.values()]
}

export interface SkipTerms {
  /** What becomes of targets that cannot be reached. */
  readonly unreachable: 'refuse' | 'skip'
  readonly report: Report
}

/**
 * All targets, or those that can be reached: the others are told. A host that was reached and refused, because of its key or of
 * who logs in, is an error in any case, and so is that none is left.
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

/** Whether `--skip-unreachable` may pass over a target that was not reached. */
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
