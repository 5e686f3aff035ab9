import {
  isSamePlace,
  type Machine,
  type MachineTargets,
  observeMachine,
  readCondition,
  type MachineCondition,
} from '@davit/target'

import { attempt } from '../failed.ts'
import { fine } from '../check.ts'
import type { Subject } from '../subject.ts'
import type { CheckupTerms } from '../terms.ts'
import { clockChecks, type ToldTime } from './clock-checks.ts'
import { isolationThere } from './isolation-there.ts'
import { lockChecks } from './lock-checks.ts'
import { packageChecks } from './package-checks.ts'
import { profileChecks } from './profile-checks.ts'
import { recordChecks } from './record-checks.ts'
import { restartChecks } from './restart-checks.ts'
import { systemChecks } from './system-checks.ts'

/** What a machine tells, and when it was asked. */
export interface TimedCondition extends ToldTime {
  readonly condition: MachineCondition
}

/** Asks a machine in which condition it is. */
export async function timedCondition(
  machine: Machine<'check'>,
  { store }: Pick<CheckupTerms, 'store'>,
): Promise<TimedCondition> {
  const asked = new Date()
  const condition = await readCondition(machine, [store.directory])
  return { condition, clock: condition.clock, asked, answered: new Date() }
}

/** Looks at a machine with targets. `coordinator` is the machine on which this runs, if it could be asked. */
export async function examineMachine(
  group: MachineTargets<'check'>,
  coordinator: Pick<Machine, 'facts'> | undefined,
  terms: CheckupTerms,
): Promise<Subject> {
  const [{ machine }] = group
  const targets = group.map(({ name }) => name)
  const reached = fine('connection', `reached as ${machine.address}`)
  const isHere =
    machine.client !== undefined || (coordinator !== undefined && isSamePlace(coordinator.facts, machine.facts))
  const checks = await attempt('connection', async () => {
    const [timed, observation] = await Promise.all([
      timedCondition(machine, terms),
      observeMachine(machine, terms.profile),
    ])
    const { condition } = timed
    return [
      // What concerns the machine itself is told of the coordinator.
      ...(isHere
        ? []
        : [
            ...systemChecks({ facts: machine.facts, condition, store: terms.store }),
            ...isolationThere(condition, terms.store),
            ...clockChecks(timed),
            ...(await attempt('packages', () => packageChecks(machine, terms))),
          ]),
      ...(machine.client === undefined ? restartChecks(condition) : []),
      ...lockChecks(condition, terms),
      ...profileChecks(condition, terms),
      ...recordChecks(observation, targets, terms),
    ]
  })
  return { name: machine.address, targets, checks: [reached, ...checks] }
}
