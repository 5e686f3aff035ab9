import { DavitError, ExitStatus, type Report } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Store } from '@davit/store'
import { openTargetStore, type ShellTarget } from '@davit/target'

import { reportTransfer } from './report-transfer.ts'
import { sendClosure } from './send-closure.ts'

export interface CopyOptions {
  /** The coordinator's store. */
  readonly store: Store
  /** Whether the coordinator has the paths, or the target. */
  readonly direction: 'to' | 'from'
  readonly report: Report
  readonly signal: AbortSignal
}

/** Copies paths, with all that they need, to a target or from it, as far as they are missing on the other side. */
export async function copyClosure(
  paths: readonly StorePath[],
  target: ShellTarget<'carry'>,
  { store, direction, report, signal }: CopyOptions,
): Promise<void> {
  const terms = { target: target.name, report, signal }
  if (direction === 'from') {
    const bring = () => openTargetStore(target, store).bring(paths, { signal })
    return reportTransfer({ ...terms, verb: 'fetch' }, bring)
  }
  const invalid = await store.invalidPaths(paths)
  if (invalid.length > 0) throw notValidHere(invalid)
  await store.protect(paths)
  await reportTransfer({ ...terms, verb: 'send' }, () => sendClosure(paths, target, { store, report, signal }))
}

function notValidHere(paths: readonly StorePath[]): DavitError {
  return new DavitError(
    'invalid-path',
    `the store of this machine does not have ${paths.map((path) => `'${path}'`).join(', ')}`,
    {
      exitStatus: ExitStatus.noInput,
      hint: 'check the paths; to copy them from the target, use --from',
    },
  )
}
