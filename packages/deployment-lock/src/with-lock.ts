import { randomBytes } from 'node:crypto'

import type { ProfileName } from '@davit/documents'
import { type ProcessIdentity, processIdentity } from '@davit/process'
import type { ShellTarget } from '@davit/target'

import { acquireLocks, type LockTerms, releaseLocks } from './acquire-locks.ts'
import { isDead, ownerOf } from './lock-owner.ts'
import { type LockRecord, type LockRecordPlace, readLockRecord } from './lock-record.ts'
import { withLease } from './with-lease.ts'

export interface LockUse {
  readonly profile: ProfileName
  readonly leaseSeconds: number
  /** Where a `davit-lock` of the same run has left its token. */
  readonly place: LockRecordPlace
  readonly signal: AbortSignal
  /** `none` works without a lock, whoever holds it. */
  readonly locking: 'join-or-take' | 'none'
}

export interface HeldLock {
  /** Goes with every request that changes a target; `-` asks for no check. */
  readonly token: string
  /** Aborts when the user asks to stop, or when the lock was lost. */
  readonly signal: AbortSignal
}

/** Works under the lock that this run holds already, or takes it for as long as the work lasts. */
export async function withLock<Result>(
  targets: readonly ShellTarget[],
  options: LockUse,
  use: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  if (options.locking === 'none') return use({ token: '-', signal: options.signal })
  const here = processIdentity()
  const record = await liveRecord(options.place, here)
  const { profile, leaseSeconds } = options
  const token = record?.token ?? randomBytes(16).toString('hex')
  const owner = record?.owner ?? ownerOf(here, 'self')
  const terms: LockTerms = { profile, leaseSeconds, here, token, owner }
  await acquireLocks(targets, terms)
  try {
    return await withLease(targets, { ...terms, signal: options.signal }, (signal) => use({ token, signal }))
  } finally {
    if (record === undefined) await releaseLocks(targets, terms)
  }
}

/** A record whose owner is gone was left behind: the lock is taken anew. */
async function liveRecord(place: LockRecordPlace, here: ProcessIdentity): Promise<LockRecord | undefined> {
  const record = await readLockRecord(place)
  return record === undefined || isDead(record.owner, here) ? undefined : record
}
