import type { TargetName } from '@davit/documents'
import { allTargets, type ReachedTargets, type ShellTarget } from '@davit/target'

import type { LockRecord } from './lock-record.ts'

interface LockedTargets {
  /** Locked targets that can be reached, including former names. */
  readonly locked: readonly ShellTarget[]
  /** Throws an error that names locked targets that could not be reached. */
  check(): void
}

/** Finds the targets that are locked; those that were skipped when the deployment was locked are not among them. */
export function lockedTargets({ targets, unreachable }: ReachedTargets, record: LockRecord): LockedTargets {
  const isLocked = ([name]: readonly [TargetName, unknown]) => record.targets.includes(name)
  const reached = new Map([...targets].filter(isLocked))
  const former = record.renamed.flatMap(({ name, at }): readonly ShellTarget[] => {
    const target = reached.get(at as TargetName)
    return target === undefined ? [] : [{ name: name as TargetName, machine: target.machine }]
  })
  return {
    locked: [...reached.values(), ...former],
    check: () => void allTargets({ targets: reached, unreachable: new Map([...unreachable].filter(isLocked)) }),
  }
}
