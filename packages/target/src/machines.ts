import { isSamePlace } from './facts.ts'
import type { Machine } from './machine.ts'
import type { ShellTarget } from './shell-target.ts'

/** Targets that are one machine stand together, and share its store and its state; each group is in the order of the targets. */
export function groupByMachine(targets: Iterable<ShellTarget>): readonly MachineTargets[] {
  const machines: [ShellTarget, ...ShellTarget[]][] = []
  for (const target of targets) {
    const known = machines.find(([first]) => isSamePlace(first.machine.facts, target.machine.facts))
    if (known === undefined) machines.push([target])
    else known.push(target)
  }
  return machines
}

/** The targets of one machine. */
export type MachineTargets = readonly [ShellTarget, ...ShellTarget[]]

/** One machine for all targets that are the same place. */
export function machinesOf(targets: Iterable<ShellTarget>): readonly Machine[] {
  return groupByMachine(targets).map(([{ machine }]) => machine)
}
