import type { Infrastructure } from '@davit/documents'
import type { StateMachines } from '@davit/state-runner'
import { addressOf, isSamePlace, type Machine, type ShellTarget } from '@davit/target'

import type { OpenMachine } from './with-targets.ts'

/** Opens helpers for state on the machines of a deployment, each when it is first needed. */
export function stateMachines(
  infrastructure: Infrastructure,
  targets: readonly ShellTarget[],
  open: OpenMachine,
): StateMachines {
  const opened = new Map<string, Promise<Machine<'state'>>>()
  const once = (name: string, openIt: () => Promise<Machine<'state'>>) => {
    const machine = opened.get(name) ?? openIt()
    opened.set(name, machine)
    // The caller is told.
    machine.catch(() => opened.delete(name))
    return machine
  }
  return {
    async on({ name, machine }) {
      // A record may be under the former name of a target.
      const current = targets.find((one) => isSamePlace(one.machine.facts, machine.facts))?.name ?? name
      const target = infrastructure.get(current)
      if (target === undefined) throw new Error(`there is no target '${current}'`)
      return once(`on ${current}`, () => open(addressOf(target), 'state'))
    },
    here: () => once('here', () => open({ kind: 'local' }, 'state')),
  }
}
