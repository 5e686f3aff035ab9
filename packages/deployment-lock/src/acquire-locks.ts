import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import type { ProcessIdentity } from '@davit/process'
import { acquireLock, type LockHolder, releaseLock, type ShellTarget } from '@davit/target'

import { describeOwner, encodeOwner, isDead, type LockOwner, parseOwner } from './lock-owner.ts'

export interface LockTerms {
  readonly profile: ProfileName
  readonly token: string
  readonly owner: LockOwner
  readonly leaseSeconds: number
  readonly here: ProcessIdentity
}

/** Takes the lock of the profile on all targets, or on none. */
export async function acquireLocks(targets: readonly ShellTarget[], terms: LockTerms): Promise<void> {
  const attempts = await Promise.allSettled(targets.map((target) => acquire(target, terms)))
  const failed = attempts.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason as unknown)
  if (failed.length === 0) return
  const taken = targets.filter((_, index) => attempts[index]?.status === 'fulfilled')
  await releaseLocks(taken, terms).catch(() => {})
  throw failed.find((error) => error instanceof DavitError && error.code === 'locked') ?? failed[0]
}

/** Gives the locks back; all are tried, the first failure is thrown. */
export async function releaseLocks(
  targets: readonly ShellTarget[],
  { profile, token }: Pick<LockTerms, 'profile' | 'token'>,
): Promise<void> {
  const releases = await Promise.allSettled(
    targets.map(({ name, machine }) => releaseLock(machine, { target: name, profile }, token)),
  )
  const failed = releases.find((release) => release.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function acquire(target: ShellTarget, terms: LockTerms): Promise<void> {
  const place = { target: target.name, profile: terms.profile }
  const request = { token: terms.token, owner: encodeOwner(terms.owner), leaseSeconds: terms.leaseSeconds }
  const answer = await acquireLock(target.machine, place, request)
  if (answer.kind === 'acquired') return
  const owner = parseOwner(answer.holder.owner)
  if (owner === undefined || !isDead(owner, terms.here)) throw lockedError(target, terms.profile, answer.holder)
  const again = await acquireLock(target.machine, place, { ...request, deadToken: answer.holder.token })
  if (again.kind === 'held') throw lockedError(target, terms.profile, again.holder)
}

function lockedError({ name }: ShellTarget, profile: ProfileName, holder: LockHolder): DavitError {
  const who = describeOwner(holder.owner)
  return new DavitError('locked', `profile '${profile}' on target '${name}' is locked by ${who} ${sinceWhen(holder)}`, {
    exitStatus: ExitStatus.locked,
    hint: 'try again when that deployment has ended; what you have locked by hand, davit-unlock unlocks',
  })
}

/** The target's clock has said so. */
function sinceWhen({ since }: LockHolder): string {
  return Number.isNaN(since.getTime()) ? 'since nobody knows when' : `since ${since.toISOString()}`
}
