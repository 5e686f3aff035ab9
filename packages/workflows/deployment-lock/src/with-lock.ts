import { randomBytes } from 'node:crypto'

import type { ProfileName } from '@davit/documents'
import { comesFrom, type ProcessIdentity, processIdentity } from '@davit/process'
import { isSamePlace, type ShellTarget } from '@davit/target'

import { acquireLocks, type LockTerms, releaseLocks, tellWanted, type WantedDeployment } from './acquire-locks.ts'
import { type EndTerms, intentionOf } from './end-deployment.ts'
import { isDead, ownerOf } from './lock-owner.ts'
import { type FormerName, type LockRecord, type LockRecordPlace, readLockRecord } from './lock-record.ts'
import { renewHeldLock, withLease } from './with-lease.ts'

export interface LockUse {
  readonly profile: ProfileName
  readonly leaseSeconds: number
  /** Where a `davit-lock` of the same run has left its record. */
  readonly place: LockRecordPlace
  /** `none` works without a lock, whoever holds it. */
  readonly locking: 'join-or-take' | 'none'
  /** What targets are told of the run, unless the lock that is joined has told them already. */
  readonly wanted?: (WantedDeployment & { readonly text: string }) | undefined
  /** Whether a run under a lock can be continued, so that targets have to keep in mind what it wanted. */
  readonly isUnfinished?: EndTerms['isUnfinished']
}

export interface HeldLock {
  /** Sent with every request that changes a target; `-` disables the check. */
  readonly token: string
  /** Aborts when the lock is lost; nothing more may be done under it. */
  readonly lost: AbortSignal
  /** Renews the lock everywhere, and rejects with `lock-lost` if it is not held; for work that no request with the token protects. */
  confirm(): Promise<void>
  /** Takes the lock on more targets while `use` works. */
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
  const record = await recordToJoin(options.place, here)
  const { profile, leaseSeconds } = options
  const token = record?.token ?? randomBytes(16).toString('hex')
  const owner = record?.owner ?? ownerOf(here, 'self')
  const { wanted, isUnfinished } = options
  const terms = { profile, leaseSeconds, here, token, owner, wanted, isUnfinished }
  const isJoined = (target: ShellTarget) => record !== undefined && isHeldBy(record, target, targets)
  if (isOther(wanted, record)) await tellWanted(targets.filter(isJoined), terms)
  return holding(targets, { terms, isJoined, lost: NEVER, before: [] }, use)
}

const NEVER = new AbortController().signal
const UNLOCKED: HeldLock = { token: '-', lost: NEVER, confirm: async () => {}, extend: (_, use) => use(UNLOCKED) }

/** Whether davit-lock has told targets something else. */
function isOther(wanted: LockUse['wanted'], record: LockRecord | undefined): boolean {
  return wanted !== undefined && record !== undefined && record.manifest !== wanted.text
}

/**
 * Finds the record of a lock that this process may join. If the owner has ended, the record is stale and the lock is taken anew.
 * The lock of another script or terminal is not joined, since both would then change the targets at the same time.
 */
async function recordToJoin(place: LockRecordPlace, here: ProcessIdentity): Promise<LockRecord | undefined> {
  const record = await readLockRecord(place)
  if (record === undefined || isDead(record.owner, here)) return undefined
  return comesFrom(record.owner.holder) === false ? undefined : record
}

/** Whether a record covers a target, by its name or by a former name, which targets on two machines may share. */
function isHeldBy(record: LockRecord, target: ShellTarget, current: readonly ShellTarget[]): boolean {
  if (current.includes(target)) return record.targets.includes(target.name)
  const isThere =
    ({ name, machine }: ShellTarget) =>
    (former: FormerName) =>
      former.name === target.name && former.at === name && isSamePlace(machine.facts, target.machine.facts)
  return current.some((one) => record.renamed.some(isThere(one)))
}

interface Holding {
  readonly terms: LockTerms & Pick<EndTerms, 'isUnfinished'>
  /** Tells whether the run holds the lock of a target already, and keeps it afterwards. */
  readonly isJoined: (target: ShellTarget) => boolean
  readonly lost: AbortSignal
  /** Targets that are locked already. */
  readonly before: readonly ShellTarget[]
}

async function holding<Result>(
  targets: readonly ShellTarget[],
  held: Holding,
  use: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const joined = targets.filter(held.isJoined)
  await renewAll(joined, held)
  return withLease(joined, held.terms, (lostNow) => {
    const lost = AbortSignal.any([held.lost, lostNow])
    const others = targets.filter((target) => !joined.includes(target))
    return taking(others, { ...held, lost, before: [...held.before, ...joined] }, use)
  })
}

async function taking<Result>(
  targets: readonly ShellTarget[],
  held: Holding,
  use: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const { terms } = held
  await acquireLocks(targets, terms)
  const result = await withLease(targets, terms, (lostNow) => {
    const lost = AbortSignal.any([held.lost, lostNow])
    const all = [...held.before, ...targets]
    return use({
      token: terms.token,
      lost,
      confirm: () => renewAll(all, held),
      extend: (more, useMore) => holding(more, { ...held, terms: withoutWanted(terms), lost, before: all }, useMore),
    })
  }).catch(async (error: unknown) => {
    // The first failure is reported, not those that follow from it.
    await releaseLocks(targets, { ...terms, intention: await intentionOf(terms) }).catch(() => {})
    throw error
  })
  await releaseLocks(targets, { ...terms, intention: await intentionOf(terms) })
  return result
}

/** For former names of targets: what is wanted concerns the present ones. */
function withoutWanted(terms: Holding['terms']): Holding['terms'] {
  return { ...terms, wanted: undefined }
}

async function renewAll(targets: readonly ShellTarget[], { terms }: Holding): Promise<void> {
  await Promise.all(targets.map((target) => renewHeldLock(target, terms)))
}
