import { type Diagnostic, DavitError, ExitStatus, firstDiagnostics } from '@davit/diagnostics'
import type { FetchFailure } from '@davit/stack-workspace'

/** Error for stacks that could not be fetched, of which each is told with its reason. */
export function unfetched(failures: readonly FetchFailure[]): DavitError {
  const diagnostics = failures.map(({ error: { message, hint } }): Diagnostic => {
    return { severity: 'error', message, ...(hint === undefined ? {} : { hint }) }
  })
  const isOutOfReach = failures.some(({ error }) => error.exitStatus === ExitStatus.unreachable)
  const stacks = failures.map(({ reference }) => reference.name)
  const count = stacks.length === 1 ? `stack '${stacks[0]}'` : `${stacks.length} stacks`
  return new DavitError('unfetched-stacks', `${count} could not be fetched`, {
    exitStatus: isOutOfReach ? ExitStatus.unreachable : ExitStatus.badDocument,
    diagnostics: firstDiagnostics(diagnostics),
    fields: { stacks },
    hint: 'what was fetched stays; run the same command again',
  })
}
