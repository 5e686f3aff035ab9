import { DavitError, ExitStatus } from '@davit/diagnostics'
import { type LockPlace, renewLock, type ShellTarget } from '@davit/target'

import type { LockTerms } from './acquire-locks.ts'

type LeaseTerms = Pick<LockTerms, 'profile' | 'token' | 'leaseSeconds'>

/** Renews the locks while the work goes on. The signal aborts when one was lost. */
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

/** Each target by itself, as one that does not answer must not keep the others. It may answer in time; a lost lock is lost. */
function keepRenewing(target: ShellTarget, terms: LeaseTerms, lose: (error: DavitError) => void): () => void {
  let isWaiting = false
  const renew = async () => {
    if (isWaiting) return
    isWaiting = true
    try {
      await renewHeldLock(target, terms)
    } catch (error) {
      if (isLockLost(error)) lose(error)
    } finally {
      isWaiting = false
    }
  }
  const timer = setInterval(() => void renew(), (terms.leaseSeconds * 1000) / 3)
  return () => clearInterval(timer)
}

export function isLockLost(error: unknown): error is DavitError {
  return error instanceof DavitError && error.code === 'lock-lost'
}

/** A DavitError `lock-lost` that names the target when it is not held any more. */
export async function renewHeldLock({ name, machine }: ShellTarget, terms: LeaseTerms): Promise<void> {
  const { profile } = terms
  await renewLock(machine, { target: name, profile }, terms).catch((error: unknown) => {
    throw lostOn({ target: name, profile }, error)
  })
}

/** What a target says of a lock that is not held any more, with its name; every other error as it is. */
export function lostOn({ target, profile }: LockPlace, error: unknown): unknown {
  if (!isLockLost(error)) return error
  return new DavitError('lock-lost', `the lock of profile '${profile}' on target '${target}' was lost`, {
    exitStatus: ExitStatus.locked,
    hint: 'somebody else may have deployed since; davit-unlock forgets the lock',
    cause: error,
  })
}
