import { DavitError, type Diagnostic, ExitStatus } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import type { BuildFailure, DelegationOutcome } from './run-delegation.ts'

/** Makes one error for all packages that were not built. */
export function delegationError({ failures, skipped }: DelegationOutcome): DavitError {
  const count = failures.length + skipped.length
  const diagnostics = [...buildDiagnostics(failures), ...targetDiagnostics(failures)].toSorted((left, right) =>
    left.message < right.message ? -1 : 1,
  )
  const names = skipped.map(({ name }) => `'${name}'`).join(', ')
  return new DavitError('build-failed', `${count === 1 ? 'a package was' : `${count} packages were`} not built`, {
    exitStatus: exitStatusOf(failures),
    diagnostics: [
      ...diagnostics,
      ...(skipped.length === 0
        ? []
        : [{ severity: 'error' as const, message: `not attempted, since they need these: ${names}` }]),
    ],
    hint: 'what was built is in the store of this machine; the same command builds only what is missing',
  })
}

function buildDiagnostics(failures: readonly BuildFailure[]): Diagnostic[] {
  return failures.flatMap((failure) => {
    if (failure.kind !== 'build') return []
    const { build, reason, logEnd } = failure
    const log = logEnd === '' ? '' : `\n${logEnd.trimEnd().replaceAll(/^/gm, '  | ')}`
    const message = `the build of '${build.name}' on target '${build.target}' ${reason}${log}`
    return [{ severity: 'error', message }]
  })
}

/** Reports each problem of a target once, with all packages that were not built because of it. */
function targetDiagnostics(failures: readonly BuildFailure[]): Diagnostic[] {
  const troubles = new Map<string, { readonly target: TargetName; readonly error: unknown; readonly names: string[] }>()
  for (const failure of failures) {
    if (failure.kind !== 'target') continue
    const { build, error } = failure
    const id = `${build.target}: ${messageOf(error)}`
    const known = troubles.get(id)
    if (known === undefined) troubles.set(id, { target: build.target, error, names: [`'${build.name}'`] })
    else known.names.push(`'${build.name}'`)
  }
  return [...troubles.values()].map(({ target, error, names }) => ({
    severity: 'error',
    message: `cannot build ${names.join(', ')} on target '${target}': ${messageOf(error)}`,
    ...(error instanceof DavitError && error.hint !== undefined ? { hint: error.hint } : {}),
  }))
}

function exitStatusOf(failures: readonly BuildFailure[]): number {
  const statuses = new Set(failures.map(statusOf))
  const [status] = statuses
  return statuses.size === 1 && status !== undefined ? status : ExitStatus.failed
}

function statusOf(failure: BuildFailure): number {
  if (failure.kind === 'build') return ExitStatus.failed
  return failure.error instanceof DavitError ? failure.error.exitStatus : ExitStatus.bug
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
