import type { Role } from '@davit/target-runtime'

import { isSamePlace } from './helper/facts.ts'
import type { Machine } from './machine.ts'
import type { ShellTarget } from './shell-target.ts'

/** Groups targets that are the same machine, and so share its store and state; keeps their order. */
export function groupByMachine<R extends Role>(targets: Iterable<ShellTarget<R>>): readonly MachineTargets<R>[] {
  const machines: [ShellTarget<R>, ...ShellTarget<R>[]][] = []
  for (const target of targets) {
    const known = machines.find(([first]) => isSamePlace(first.machine.facts, target.machine.facts))
    if (known === undefined) machines.push([target])
    else known.push(target)
  }
  return machines
}

/** The targets of one machine. */
export type MachineTargets<R extends Role = 'deploy'> = readonly [ShellTarget<R>, ...ShellTarget<R>[]]

/** Returns each machine once, however many targets it has. */
export function machinesOf<R extends Role>(targets: Iterable<ShellTarget<R>>): readonly Machine<R>[] {
  return groupByMachine(targets).map(([{ machine }]) => machine)
}
