import { HERE } from '@davit/connection'
import type { Infrastructure } from '@davit/documents'
import type { StateMachines } from '@davit/state-runner'
import { isSamePlace, type Machine, requestFor, type Role, type ShellTarget } from '@davit/target'

import type { OpenMachine } from './with-targets.ts'

/** Opens helpers for state on the machines of a deployment, each when it is first needed. */
export function stateMachines(
  infrastructure: Infrastructure,
  targets: readonly ShellTarget[],
  open: OpenMachine,
): StateMachines {
  const { on, once } = openedOnce('state', { infrastructure, targets, open })
  return { on, here: () => once('here', () => open(HERE, 'state')) }
}

export interface AdoptionMachines {
  /** The machine of a target, with a helper that takes over what Disnix has deployed. */
  on(place: ShellTarget): Promise<Machine<'adopt'>>
}

/** Opens helpers for adoption on the machines of a deployment, each when it is first needed. */
export function adoptionMachines(
  infrastructure: Infrastructure,
  targets: readonly ShellTarget[],
  open: OpenMachine,
): AdoptionMachines {
  const { on } = openedOnce('adopt', { infrastructure, targets, open })
  return { on }
}

interface Opening {
  readonly infrastructure: Infrastructure
  readonly targets: readonly ShellTarget[]
  readonly open: OpenMachine
}

function openedOnce<R extends Role>(role: R, { infrastructure, targets, open }: Opening) {
  const opened = new Map<string, Promise<Machine<R>>>()
  const once = (name: string, openIt: () => Promise<Machine<R>>) => {
    const machine = opened.get(name) ?? openIt()
    opened.set(name, machine)
    // The caller is told.
    machine.catch(() => opened.delete(name))
    return machine
  }
  return {
    once,
    async on({ name, machine }: ShellTarget) {
      // A record may be under the former name of a target.
      const current = targets.find((one) => isSamePlace(one.machine.facts, machine.facts))?.name ?? name
      return once(`on ${current}`, () => open(requestFor(infrastructure, current), role))
    },
  }
}
