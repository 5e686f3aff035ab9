import { connectionPool, HOLDER_VARIABLE } from '@davit/connection'
import type { TrialConnections } from '@davit/deployment'
import type { Infrastructure } from '@davit/documents'
import { unlessAborted } from '@davit/process'
import { isSamePlace, type Machine, requestFor, type ShellTarget } from '@davit/target'
import { type OpenMachine, type Run, withTargets } from '@davit/tool'

export interface TrialSurroundings {
  readonly infrastructure: Infrastructure
  readonly targets: readonly ShellTarget[]
  readonly context: Run
  readonly open: OpenMachine
}

/** Connections for targets that go back by themselves: one that shares nothing with others shows that a machine can be reached. */
export function trialConnections({ infrastructure, targets, context, open }: TrialSurroundings): TrialConnections {
  const targetOf = (place: ShellTarget) => {
    // A record may be under the former name of a target.
    const name = targets.find(({ machine }) => isSamePlace(machine.facts, place.machine.facts))?.name ?? place.name
    const target = infrastructure.get(name)
    if (target === undefined) throw new Error(`there is no target '${name}'`)
    return [name, target] as const
  }
  return {
    on: (place) => open(requestFor(infrastructure, targetOf(place)[0]), 'trial'),
    anew(places, signal, use) {
      const { [HOLDER_VARIABLE]: _, ...environment } = context.environment
      const { secrets: __, ...rest } = context
      const own = { ...rest, environment, signal, openPool: connectionPool }
      const wanted = new Map(places.map(targetOf))
      const work = withTargets(wanted, { ...own, role: 'confirm', manifests: [], trust: 'everything' }, (reached) => {
        const found = places.map((place) => {
          const [name] = targetOf(place)
          const machine: Machine<'confirm'> | undefined = reached.targets.get(name)?.machine
          return [place, machine ?? reached.unreachable.get(name)] as const
        })
        return use(new Map(found.flatMap(([place, one]) => (one === undefined ? [] : [[place, one] as const]))))
      })
      return unlessAborted(work, signal)
    },
  }
}
