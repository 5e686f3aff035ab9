import type { ProfileName, TargetName } from '@davit/documents'
import { groupByMachine, observeMappings, type ShellTarget } from '@davit/target'

/** A name under which a machine still has records, and the target that it is now. */
export interface FormerTarget extends ShellTarget {
  readonly at: TargetName
}

/** What lies on the machines of targets under names that are not theirs any more: they were renamed. */
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
