import { randomBytes } from 'node:crypto'

import type { ProfileName } from '@davit/documents'
import { type ProcessIdentity, processIdentity } from '@davit/process'
import type { ShellTarget } from '@davit/target'

import { acquireLocks, type LockTerms, releaseLocks } from './acquire-locks.ts'
import { isDead, ownerOf } from './lock-owner.ts'
import { type LockRecord, type LockRecordPlace, readLockRecord } from './lock-record.ts'
import { renewHeldLock, withLease } from './with-lease.ts'

export interface LockUse {
  readonly profile: ProfileName
  readonly leaseSeconds: number
  /** Where a `davit-lock` of the same run has left its token. */
  readonly place: LockRecordPlace
  /** `none` works without a lock, whoever holds it. */
  readonly locking: 'join-or-take' | 'none'
}

export interface HeldLock {
  /** Goes with every request that changes a target; `-` asks for no check. */
  readonly token: string
  /** Aborts when the lock was lost: nothing more may be done under it. */
  readonly lost: AbortSignal
  /** Takes the lock on more targets for as long as that work lasts. */
  extend<Result>(targets: readonly ShellTarget[], use: (lock: HeldLock) => Promise<Result>): Promise<Result>
}

/** Works under the lock that this run holds already, or takes it for as long as the work lasts. */
export async function withLock<Result>(
  targets: readonly ShellTarget[],
  options: LockUse,
  use: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  if (options.locking === 'none') return use(UNLOCKED)
  const here = processIdentity()
  const record = await liveRecord(options.place, here)
  const { profile, leaseSeconds } = options
  const token = record?.token ?? randomBytes(16).toString('hex')
  const owner = record?.owner ?? ownerOf(here, 'self')
  const terms: LockTerms = { profile, leaseSeconds, here, token, owner }
  const joined = targets.filter(({ name }) => record?.targets.includes(name))
  await Promise.all(joined.map((target) => renewHeldLock(target, terms)))
  return withLease(joined, terms, (lost) =>
    holding(
      targets.filter((target) => !joined.includes(target)),
      { terms, lost },
      use,
    ),
  )
}

const UNLOCKED: HeldLock = { token: '-', lost: new AbortController().signal, extend: (_, use) => use(UNLOCKED) }

/** A record whose owner is gone was left behind: the lock is taken anew. */
async function liveRecord(place: LockRecordPlace, here: ProcessIdentity): Promise<LockRecord | undefined> {
  const record = await readLockRecord(place)
  return record === undefined || isDead(record.owner, here) ? undefined : record
}

interface Holding {
  readonly terms: LockTerms
  /** Of what is held already. */
  readonly lost: AbortSignal
}

async function holding<Result>(
  targets: readonly ShellTarget[],
  { terms, lost: lostBefore }: Holding,
  use: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  await acquireLocks(targets, terms)
  const result = await withLease(targets, terms, (lostNow) => {
    const lost = AbortSignal.any([lostBefore, lostNow])
    return use({
      token: terms.token,
      lost,
      extend: (more, useMore) => holding(more, { terms, lost }, useMore),
    })
  }).catch(async (error: unknown) => {
    // What went wrong first is told, not what follows from it.
    await releaseLocks(targets, terms).catch(() => {})
    throw error
  })
  await releaseLocks(targets, terms)
  return result
}
