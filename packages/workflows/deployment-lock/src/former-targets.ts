import type { ProfileName, TargetName } from '@davit/documents'
import { groupByMachine, observeMappings, type ShellTarget } from '@davit/target'

/** A former name of a target, under which its machine still has records. */
export interface FormerTarget extends ShellTarget {
  /** Target that the machine is now. */
  readonly at: TargetName
}

/** Finds records on the machines of targets that were made under former names. */
export async function formerTargets(
  targets: readonly ShellTarget[],
  profile: ProfileName,
): Promise<readonly FormerTarget[]> {
  const found = await Promise.all(
    groupByMachine(targets).map(async (group) => {
      const [{ name: at, machine }] = group
      const names = new Set(group.map(({ name }) => name))
      const recorded = new Set((await observeMappings(machine, profile)).map(({ mapping }) => mapping.target))
      return [...recorded].filter((name) => !names.has(name)).map((name) => ({ name, at, machine }))
    }),
  )
  return found.flat()
}
