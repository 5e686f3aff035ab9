import type { Intention, ShellTarget } from '@davit/target'

import { isGone, releaseLocks } from './acquire-locks.ts'
import { type LockRecordPlace, removeLockRecord } from './lock-record.ts'
import { type ServiceLockTerms, unlockServices } from './service-locks.ts'

export interface EndTerms extends ServiceLockTerms {
  readonly place: LockRecordPlace
  /** Whether a run under this lock was cut off, or left something behind, and can be continued; by default none was. */
  readonly isUnfinished?: ((token: string) => Promise<boolean>) | undefined
}

/**
 * Unlocks the services, releases the locks, and removes the record. Each step is tried even if another one failed. The record
 * stays if a lock may be left. Throws the failure of the locks, or else that of the services.
 */
export async function endDeployment(targets: readonly ShellTarget[], { place, ...terms }: EndTerms): Promise<void> {
  const [services, locks] = [
    await failureOf(unlockServices(targets, terms)),
    await failureOf(releaseLocks(targets, { ...terms, intention: await intentionOf(terms) })),
  ]
  if (locks === undefined || isGone(locks.error)) await removeLockRecord(place, terms.token)
  const failure = locks ?? services
  if (failure !== undefined) throw failure.error
}

/** What the targets are to keep in mind. */
export async function intentionOf({
  token,
  isUnfinished = async () => false,
}: Pick<EndTerms, 'isUnfinished'> & { readonly token: string }): Promise<Intention> {
  // In doubt, they keep it.
  return (await isUnfinished(token).catch(() => true)) ? 'keep' : 'withdraw'
}

async function failureOf(work: Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return { error }
  }
}
