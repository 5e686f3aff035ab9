import { DavitError, type Report } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { allTargets, lockHolder, type ReachedTargets, type ShellTarget } from '@davit/target'

import { isGone } from './acquire-locks.ts'
import { endDeployment } from './end-deployment.ts'
import { formerTargets } from './former-targets.ts'
import { describeOwner } from './lock-owner.ts'
import { say } from './messages.ts'
import type { ServiceLockTerms } from './service-locks.ts'

interface FreeTerms extends ServiceLockTerms {
  /** Directory of this user's lock record, which may be that of this lock. */
  readonly place: string
  readonly report: Report
}

/** Ends the deployment that holds the lock with this token, on all targets where it holds it. */
export async function freeLock(reached: ReachedTargets, terms: FreeTerms): Promise<void> {
  const { profile, token, report } = terms
  const targets = [...reached.targets.values()]
  const candidates = [...targets, ...(await formerTargets(targets, profile))]
  const holders = await Promise.all(candidates.map((target) => holderOf(target, profile)))
  const held = candidates.filter((_, index) => holders[index]?.token === token)
  for (const target of held) {
    const owner = describeOwner(holders[candidates.indexOf(target)]?.owner ?? '')
    report(say('lock-freed', { target: target.name, owner }))
  }
  if (held.length > 0)
    // Its run may have been cut off.
    await endDeployment(held, { ...terms, isUnfinished: async () => true }).catch((error: unknown) => {
      // The holder has noticed, and has ended.
      if (!isGone(error)) throw error
    })
  allTargets(reached)
  if (held.length === 0) throw notHeld(terms)
}

function holderOf({ name, machine }: ShellTarget, profile: ProfileName) {
  return lockHolder(machine, { target: name, profile })
}

function notHeld({ profile, token }: FreeTerms): DavitError {
  return new DavitError('not-locked', `no target has a lock of profile '${profile}' with token '${token}'`, {
    hint: 'the tool that was refused prints the token of the lock',
  })
}
