import { currentNumber } from '@davit/coordinator-state'
import type { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { compareText } from '@davit/languages'
import { groupByMachine, type Machine, type ReachedTargets } from '@davit/target'

import { examineCoordinator } from './coordinator/examine-coordinator.ts'
import { failed } from './failed.ts'
import { examineMachine } from './machine/examine-machine.ts'
import type { Checkup, Subject } from './subject.ts'
import type { CheckupTerms } from './terms.ts'

/** Looks at the coordinator and at all machines with targets, and changes nothing. */
export async function checkUp(
  { targets, unreachable }: ReachedTargets<'check'>,
  openHere: () => Promise<Machine<'check'>>,
  given: Omit<CheckupTerms, 'generation'>,
): Promise<Checkup> {
  // Whether the number can be read is a finding of its own.
  const terms = { ...given, generation: await currentNumber(given.place).catch(() => undefined) }
  const { machine: here, subject } = await examineCoordinator(openHere, terms)
  const groups = groupByMachine([...targets.values()])
  const examined = await Promise.all(groups.map((group) => examineMachine(group, here, terms)))
  const lost = [...unreachable].map(([target, error]) => unreached(target, error))
  const machines = [...examined, ...lost].toSorted((left, right) => compareText(firstOf(left), firstOf(right)))
  return { profile: terms.profile, coordinator: subject, machines }
}

function unreached(target: TargetName, error: DavitError): Subject {
  return { name: '', targets: [target], checks: [failed('connection', error)] }
}

function firstOf({ targets: [first] }: Subject): string {
  return first ?? ''
}
