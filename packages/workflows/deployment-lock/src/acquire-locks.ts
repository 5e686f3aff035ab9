import { DavitError, ExitStatus, hasCode, renderTime } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import type { ProcessIdentity } from '@davit/process'
import {
  acquireLock,
  type Intention,
  type LockHolder,
  releaseLock,
  type ShellTarget,
  type WantedProfile,
} from '@davit/target'

import { describeOwner, encodeOwner, isDead, type LockOwner, parseOwner } from './lock-owner.ts'

export interface LockTerms {
  readonly profile: ProfileName
  readonly token: string
  readonly owner: LockOwner
  readonly leaseSeconds: number
  readonly here: ProcessIdentity
  /** What targets are told of the run, so that it can be continued from anywhere. */
  readonly wanted?: WantedDeployment | undefined
}

/** The profiles that are to become current, and their store. */
export type WantedDeployment = Pick<Manifest, 'profiles' | 'store'>

/**
 * Takes the lock of the profile on all targets, or on none. The lock of the first target by name is taken before all others, so
 * that one of several simultaneous runs succeeds.
 */
export async function acquireLocks(targets: readonly ShellTarget[], terms: LockTerms): Promise<void> {
  const [first, ...others] = targets.toSorted((left, right) => (left.name < right.name ? -1 : 1))
  if (first === undefined) return
  await acquireTogether([first], terms)
  try {
    await acquireTogether(others, terms)
  } catch (error) {
    await releaseLocks([first], terms).catch(() => {})
    throw error
  }
}

/** Tells targets that are locked with the token already what the run wants. */
export async function tellWanted(targets: readonly ShellTarget[], terms: LockTerms): Promise<void> {
  await Promise.all(targets.map((target) => acquire(target, terms)))
}

/** Whether an error means that the lock no longer exists. */
export function isGone(error: unknown): boolean {
  return error instanceof DavitError && ['not-locked', 'lock-lost'].includes(error.code)
}

export interface ReleaseTerms extends Pick<LockTerms, 'profile' | 'token'> {
  /** Whether targets go on to keep in mind what they were told with the lock; by default they do not. */
  readonly intention?: Intention
}

/** Releases all locks, even if some fail. Throws the first failure that leaves a lock behind, or else the first failure. */
export async function releaseLocks(targets: readonly ShellTarget[], terms: ReleaseTerms): Promise<void> {
  const releases = await Promise.allSettled(targets.map((target) => release(target, terms)))
  const failures = releases.flatMap((release) => (release.status === 'rejected' ? [{ error: release.reason }] : []))
  const failed = failures.find(({ error }) => !isGone(error)) ?? failures[0]
  if (failed !== undefined) throw failed.error
}

async function release({ name, machine }: ShellTarget, { profile, ...terms }: ReleaseTerms): Promise<void> {
  await releaseLock(machine, { target: name, profile }, terms).catch((error: unknown) => {
    if (!(error instanceof DavitError && isGone(error))) throw error
    const { code, exitStatus } = error
    throw new DavitError(code, `the lock of profile '${profile}' on target '${name}' is gone`, {
      exitStatus,
      fields: { target: name },
    })
  })
}

async function acquireTogether(targets: readonly ShellTarget[], terms: LockTerms): Promise<void> {
  const attempts = await Promise.allSettled(targets.map((target) => acquire(target, terms)))
  const failed = attempts.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason as unknown)
  if (failed.length === 0) return
  const taken = targets.filter((_, index) => attempts[index]?.status === 'fulfilled')
  await releaseLocks(taken, terms).catch(() => {})
  throw failed.find((error) => hasCode(error, 'locked')) ?? failed[0]
}

async function acquire(target: ShellTarget, terms: LockTerms): Promise<void> {
  const place = { target: target.name, profile: terms.profile }
  const { token: mine, leaseSeconds } = terms
  const request = { token: mine, owner: encodeOwner(terms.owner), leaseSeconds, wanted: wantedOn(target, terms) }
  const answer = await acquireLock(target.machine, place, request)
  if (answer.kind === 'acquired') return
  const { owner, token } = answer.holder
  const parsed = parseOwner(owner)
  if (token === undefined || parsed === undefined || !isDead(parsed, terms.here))
    throw lockedError(target, terms.profile, answer.holder)
  const again = await acquireLock(target.machine, place, { ...request, deadToken: token })
  if (again.kind === 'held') throw lockedError(target, terms.profile, again.holder)
}

function wantedOn({ name }: ShellTarget, { wanted }: LockTerms): WantedProfile | undefined {
  const path = wanted?.profiles.get(name)
  if (wanted === undefined || path === undefined) return undefined
  return { path, targets: wanted.profiles.size, store: wanted.store.kind }
}

function lockedError({ name }: ShellTarget, profile: ProfileName, holder: LockHolder): DavitError {
  const who = describeOwner(holder.owner)
  return new DavitError(
    'locked',
    `profile '${profile}' on target '${name}' is locked by ${who}, ${sinceWhen(holder)}`,
    {
      exitStatus: ExitStatus.locked,
      hint: `try again when that deployment has ended; ${howToUnlock(holder, profile)}`,
    },
  )
}

function howToUnlock({ token }: LockHolder, profile: ProfileName): string {
  const unlock = `davit-unlock -p ${profile}`
  const byHand = `if you locked it yourself, run ${unlock} MANIFEST`
  if (token === undefined) return byHand
  return `${byHand}; if its holder is gone, '${unlock} --id ${token} -i INFRASTRUCTURE' releases it`
}

/** Since when the lock is held, by the clock of the target. */
function sinceWhen({ since }: LockHolder): string {
  return since === undefined ? 'since when is unknown' : `since ${renderTime(since)}`
}
