import { DavitError } from '@davit/diagnostics'
import { acquireLock, type ShellTarget } from '@davit/target'

import type { LockTerms } from './acquire-locks.ts'
import { encodeOwner } from './lock-owner.ts'

/** Renews the locks while the work goes on. The signal aborts when one was lost, or with the one given. */
export async function withLease<Result>(
  targets: readonly ShellTarget[],
  { signal, ...terms }: LockTerms & { readonly signal: AbortSignal },
  use: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  const renewal = setInterval(
    () => {
      renew(targets, terms).catch((error: unknown) => lost.abort(error))
    },
    (terms.leaseSeconds * 1000) / 3,
  )
  try {
    return await use(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(renewal)
  }
}

/** A machine that does not answer now may answer in time; a lock that somebody else holds is lost. */
async function renew(targets: readonly ShellTarget[], terms: LockTerms): Promise<void> {
  const { profile, token, owner, leaseSeconds } = terms
  const request = { token, owner: encodeOwner(owner), leaseSeconds }
  const answers = await Promise.allSettled(
    targets.map(({ name, machine }) => acquireLock(machine, { target: name, profile }, request)),
  )
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 'rejected' || answer.value.kind === 'acquired') continue
    throw new DavitError(
      'lock-lost',
      `the lock of profile '${profile}' on target '${targets[index]?.name}' was taken by somebody else`,
    )
  }
}
