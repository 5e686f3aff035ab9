import { DavitError } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import type { ProcessIdentity } from '@davit/process'
import { type LockHolder, lockHolder, type ReachedTargets, type ShellTarget } from '@davit/target'

import { type LockOwner, lifeOf, parseOwner } from './lock-owner.ts'

/** Who holds the lock of a profile on a target. */
export type LockState =
  | { readonly kind: 'free'; readonly target: TargetName }
  | HeldLockState
  /** The target cannot be asked. */
  | { readonly kind: 'unknown'; readonly target: TargetName; readonly error: DavitError }

export interface HeldLockState extends Omit<LockHolder, 'owner'> {
  readonly kind: 'held'
  readonly target: TargetName
  /** Undefined if the file is damaged, or somebody else's. */
  readonly owner: LockOwner | undefined
  /** Whether the process lives, as far as this machine can tell. */
  readonly life: 'alive' | 'dead' | 'unknown'
}

/** Asks all targets who holds the lock of a profile, without taking it. */
export async function lockStates(
  { targets, unreachable }: ReachedTargets,
  terms: { readonly profile: ProfileName; readonly here: ProcessIdentity },
): Promise<readonly LockState[]> {
  const asked = await Promise.all([...targets.values()].map((target) => stateOn(target, terms)))
  const lost = [...unreachable].map(([target, error]): LockState => ({ kind: 'unknown', target, error }))
  return [...asked, ...lost].toSorted((left, right) => (left.target < right.target ? -1 : 1))
}

async function stateOn(
  { name: target, machine }: ShellTarget,
  { profile, here }: { readonly profile: ProfileName; readonly here: ProcessIdentity },
): Promise<LockState> {
  try {
    const holder = await lockHolder(machine, { target, profile })
    if (holder === undefined) return { kind: 'free', target }
    const owner = parseOwner(holder.owner)
    return { ...holder, kind: 'held', target, owner, life: lifeOf(owner, here) }
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    return { kind: 'unknown', target, error }
  }
}
