import type { StorePath } from '@davit/documents'
import type { Store } from '@davit/store'
import { openTargetStore, type ShellTarget, type Transferred } from '@davit/target'

export interface SendingOptions {
  readonly store: Store
  /** Whether machines first fetch what they can from their own caches. */
  readonly useSubstitutes?: boolean
  readonly signal: AbortSignal
}

/** Sends what a target lacks of the closure of paths, and protects them there for a day. */
export async function sendClosure(
  paths: readonly StorePath[],
  target: ShellTarget<'carry'>,
  { store, signal, useSubstitutes = false }: SendingOptions,
): Promise<Transferred> {
  const there = openTargetStore(target, store)
  const closure = await store.closure(paths)
  const missing = await there.missing(closure, { protect: paths, useSubstitutes, signal })
  const sent = await there.send(missing, { signal })
  await there.protect(paths)
  return sent
}
