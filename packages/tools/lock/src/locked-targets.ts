import type { LockRecord } from '@davit/deployment-lock'
import type { TargetName } from '@davit/documents'
import { allTargets, type ReachedTargets, type ShellTarget } from '@davit/target'

interface LockedTargets {
  /** What can be reached of what is locked, names that machines had before included. */
  readonly locked: readonly ShellTarget[]
  /** An error that names what could not be reached of it. */
  check(): void
}

/** Targets that were skipped when the deployment was locked are not looked at. */
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
