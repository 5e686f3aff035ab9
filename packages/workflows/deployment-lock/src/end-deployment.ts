import type { ShellTarget } from '@davit/target'

import { isGone, releaseLocks } from './acquire-locks.ts'
import { type LockRecordPlace, removeLockRecord } from './lock-record.ts'
import { type ServiceLockTerms, unlockServices } from './service-locks.ts'

/**
 * Unlocks the services, releases the locks, and removes the record. Each step is tried even if another one failed. The record
 * stays if a lock may be left. Throws the failure of the locks, or else that of the services.
 */
export async function endDeployment(
  targets: readonly ShellTarget[],
  { place, ...terms }: ServiceLockTerms & { readonly place: LockRecordPlace },
): Promise<void> {
  const [services, locks] = [
    await failureOf(unlockServices(targets, terms)),
    await failureOf(releaseLocks(targets, terms)),
  ]
  if (locks === undefined || isGone(locks.error)) await removeLockRecord(place, terms.token)
  const failure = locks ?? services
  if (failure !== undefined) throw failure.error
}

async function failureOf(work: Promise<void>): Promise<{ readonly error: unknown } | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return { error }
  }
}
