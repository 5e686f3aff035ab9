import { describeOwner, lifeOf, parseOwner } from '@davit/deployment-lock'
import { renderTime } from '@davit/diagnostics'
import type { LockPlace, MachineCondition } from '@davit/target'

import { type Check, found } from '../check.ts'
import { type CheckupTerms, forProfile } from '../terms.ts'

type HeldLock = MachineCondition['locks'][number]

/** Looks at who holds locks, of any deployment on the machine, and at what runs have left that hold none any more. */
export function lockChecks(condition: MachineCondition, terms: CheckupTerms): readonly Check[] {
  const { locks, trials, unreached } = condition
  const works = (place: LockPlace) => locks.some((lock) => isSamePlace(lock, place) && !isOver(lock, terms))
  return [
    ...locks.map((lock) => lockCheck(lock, terms)),
    ...unreached.filter((place) => !works(place)).map((place) => unreachedCheck(place)),
    ...trials.map((place) => trialCheck(place)),
  ]
}

/** Whether nobody works under a lock, as far as this machine can tell. */
function isOver({ holder }: HeldLock, { here }: Pick<CheckupTerms, 'here'>): boolean {
  return holder.isOver === true || lifeOf(parseOwner(holder.owner), here) === 'dead'
}

function isSamePlace(left: LockPlace, right: LockPlace): boolean {
  return left.target === right.target && left.profile === right.profile
}

function lockCheck(lock: HeldLock, terms: CheckupTerms): Check {
  if (isOver(lock, terms)) return leftLockCheck(lock)
  return found('locks', 'note', {
    text: holderText(lock),
    means: 'a run works there; others have to wait',
    remedy: `davit-lock --status${forProfile(lock)}`,
  })
}

function leftLockCheck(lock: HeldLock): Check {
  const { holder } = lock
  const token = holder.token ?? 'TOKEN'
  return found('locks', 'warning', {
    text: `${holderText(lock)}, and nobody works under it any more`,
    means: 'a run was cut off; the next one takes the lock, since its lease is over or its process has ended',
    remedy: `davit-unlock --id ${token} --deployed${forProfile(lock)}`,
  })
}

function holderText({ target, profile, holder }: HeldLock): string {
  const since = holder.since === undefined ? '' : ` since ${renderTime(holder.since)}`
  return `the lock of '${profile}' on '${target}' is held by ${describeOwner(holder.owner)}${since}`
}

function unreachedCheck(place: LockPlace): Check {
  const { target, profile } = place
  return found('deployment', 'warning', {
    text: `a run was about to give '${target}' another profile of '${profile}', and did not`,
    means: 'it was cut off: services of before and of after may be there',
    remedy: `davit-env --resume${forProfile(place)}`,
  })
}

function trialCheck(place: LockPlace): Check {
  const { target, profile } = place
  return found('trials', 'note', {
    text: `changes to '${profile}' on '${target}' are not confirmed yet`,
    means: 'unless the run confirms them in time, the machine undoes them by itself',
    remedy: `davit-journal${forProfile(place)}`,
  })
}
