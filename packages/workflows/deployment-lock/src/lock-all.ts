import type { Report } from '@davit/diagnostics'
import { machinesOf, observeAfterTrials, type ShellTarget } from '@davit/target'

import { acquireLocks, type LockTerms } from './acquire-locks.ts'
import { endDeployment } from './end-deployment.ts'
import { formerTargets } from './former-targets.ts'
import { writeLockRecord } from './lock-record.ts'
import { lockServices, type ServiceLockTerms } from './service-locks.ts'

interface LockAllTerms extends LockTerms, ServiceLockTerms {
  /** Directory of the lock record. */
  readonly place: string
  /** Text of the manifest. */
  readonly manifest: string
  /** What is selected, in the terms of `--on`; undefined if everything is. */
  readonly on?: readonly string[] | undefined
  /** Whether the lock ends with a command. */
  readonly duringCommand: boolean
  readonly signal: AbortSignal
  readonly report: Report
}

/**
 * Locks the targets, and the former names under which their machines have records; asks the services; writes the record. Locks
 * all or nothing. Returns everything that is locked.
 */
export async function lockAll(targets: readonly ShellTarget[], terms: LockAllTerms): Promise<readonly ShellTarget[]> {
  const { token, owner, place, manifest, on, duringCommand, signal, here } = terms
  await acquireLocks(targets, terms)
  let locked = targets
  try {
    const former = await formerTargets(targets, terms.profile)
    // What is wanted concerns the present names.
    await acquireLocks(former, { ...terms, wanted: undefined })
    locked = [...targets, ...former]
    // While a target goes back, it does nothing else.
    await Promise.all(machinesOf(locked).map((machine) => observeAfterTrials(machine, terms)))
    await lockServices(locked, terms)
    signal.throwIfAborted()
    const renamed = former.map(({ name, at }) => ({ name, at }))
    const names = targets.map(({ name }) => name)
    const { processGroup } = here
    const record = { token, owner, processGroup, manifest, targets: names, renamed, duringCommand }
    await writeLockRecord(place, on === undefined ? record : { ...record, on })
    return locked
  } catch (error) {
    await endDeployment(locked, terms).catch(() => {})
    throw error
  }
}
