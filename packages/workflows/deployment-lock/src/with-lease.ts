import { DavitError, ExitStatus, hasCode } from '@davit/diagnostics'
import { type LockPlace, renewLock, type ShellTarget } from '@davit/target'

import type { LockTerms } from './acquire-locks.ts'

type LeaseTerms = Pick<LockTerms, 'profile' | 'token' | 'leaseSeconds'>

/** Renews the locks while the work goes on. The signal aborts when one is lost. */
export async function withLease<Result>(
  targets: readonly ShellTarget[],
  terms: LeaseTerms,
  use: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  const renewals = targets.map((target) => keepRenewing(target, terms, (error) => lost.abort(error)))
  try {
    return await use(lost.signal)
  } finally {
    for (const stop of renewals) stop()
  }
}

/**
 * Renews the lock of one target, independently of the others, which must not wait for a target that does not answer. A failed
 * renewal is tried again, unless the lock is lost.
 */
function keepRenewing(target: ShellTarget, terms: LeaseTerms, lose: (error: DavitError) => void): () => void {
  let isWaiting = false
  const renew = async () => {
    if (isWaiting) return
    isWaiting = true
    try {
      await renewHeldLock(target, terms)
    } catch (error) {
      if (hasCode(error, 'lock-lost')) lose(error)
    } finally {
      isWaiting = false
    }
  }
  const timer = setInterval(() => void renew(), (terms.leaseSeconds * 1000) / 3)
  return () => clearInterval(timer)
}

/** Renews a lock; throws a DavitError `lock-lost` that names the target if the lock is no longer held. */
export async function renewHeldLock({ name, machine }: ShellTarget, terms: LeaseTerms): Promise<void> {
  const { profile } = terms
  await renewLock(machine, { target: name, profile }, terms).catch((error: unknown) => {
    throw lostOn({ target: name, profile }, error)
  })
}

/** Adds the names of target and profile to an error `lock-lost`; returns any other error unchanged. */
export function lostOn({ target, profile }: LockPlace, error: unknown): unknown {
  if (!hasCode(error, 'lock-lost')) return error
  return new DavitError('lock-lost', `the lock of profile '${profile}' on target '${target}' was lost`, {
    exitStatus: ExitStatus.locked,
    hint: "somebody else may have deployed since; run 'davit-unlock' to forget the lock",
    cause: error,
  })
}
