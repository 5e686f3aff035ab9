import type { Report } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import type { Store } from '@davit/store'
import { openTargetStore, type ShellTarget, type Transferred } from '@davit/target'

import { say } from './messages.ts'

export interface SendingOptions {
  readonly store: Store
  /** Whether machines first fetch what they can from their own caches. */
  readonly useSubstitutes?: boolean
  /** Whether packages there into which something was written are replaced. */
  readonly replaceAltered?: boolean
  readonly signal: AbortSignal
}

export interface Reporting {
  readonly report: Report
}

/** Fails if packages of this machine were altered. Nix finds out when it sends them. */
async function refuseAltered(store: Store, paths: readonly StorePath[]): Promise<void> {
  if (store.kind === 'native') await store.refuseAltered(paths)
}

/** Sends what a target lacks of the closure of paths, and protects them there for a day. */
export async function sendClosure(
  paths: readonly StorePath[],
  target: ShellTarget<'carry'>,
  { store, signal, report, useSubstitutes = false, replaceAltered = false }: SendingOptions & Reporting,
): Promise<Transferred> {
  const there = openTargetStore(target, store)
  const closure = await store.closure(paths)
  if (replaceAltered) {
    await refuseAltered(store, closure)
    for (const { path, what } of await there.markAltered(closure)) {
      report(say('package-replaced', { target: target.name, storePath: path, what }))
    }
  }
  const missing = await there.missing(closure, { protect: paths, useSubstitutes, signal })
  const sent = await there.send(missing, { signal })
  await there.protect(paths)
  return sent
}
