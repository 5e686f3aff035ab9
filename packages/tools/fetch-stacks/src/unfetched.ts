import { type Diagnostic, DavitError, ExitStatus, firstDiagnostics } from '@davit/diagnostics'
import type { FetchFailure } from '@davit/stack-workspace'

/** Error for stacks that could not be fetched, of which each is told with its reason. */
export function unfetched(failures: readonly FetchFailure[]): DavitError {
  const isOutOfReach = failures.some(({ error }) => error.exitStatus === ExitStatus.unreachable)
  const stacks = failures.map(({ reference }) => reference.name)
  const count = stacks.length === 1 ? `stack '${stacks[0]}'` : `${stacks.length} stacks`
  return new DavitError('unfetched-stacks', `${count} could not be fetched`, {
    exitStatus: isOutOfReach ? ExitStatus.unreachable : ExitStatus.badDocument,
    diagnostics: firstDiagnostics(byReason(failures)),
    fields: { stacks },
    hint: `what was fetched stays; the same command fetches the rest${isOutOfReach ? '' : ', once that is corrected'}`,
  })
}

/** Tells each reason once, with the stacks that it concerns. */
function byReason(failures: readonly FetchFailure[]): readonly Diagnostic[] {
  const named = new Map<string, string[]>()
  for (const { reference, error } of failures) {
    const names = named.get(error.message) ?? []
    names.push(`'${reference.name}'`)
    named.set(error.message, names)
  }
  return [...named].map(([reason, names]) => {
    const first = failures.find(({ error }) => error.message === reason)
    const { place, error: { hint } = {} } = first ?? {}
    const isNamed = names.length === 1 && reason.includes(names.join(''))
    const message = isNamed ? reason : `stack ${names.join(', ')}: ${reason}`
    return {
      severity: 'error',
      message,
      ...(place === undefined ? {} : { place }),
      ...(hint === undefined ? {} : { hint }),
    }
  })
}
