import type { Machine } from '@davit/target'

import type { Check } from '../check.ts'
import { attempt } from '../failed.ts'
import { timedCondition } from '../machine/examine-machine.ts'
import { packageChecks } from '../machine/package-checks.ts'
import { systemChecks } from '../machine/system-checks.ts'
import type { Subject } from '../subject.ts'
import type { CheckupTerms } from '../terms.ts'
import { ownClockChecks } from './clock-checks.ts'
import { completionChecks } from './completion-checks.ts'
import { deploymentChecks } from './deployment-checks.ts'
import { sshChecks } from './ssh-checks.ts'
import { temporaryChecks } from './temporary-checks.ts'
import { isolationChecks, nodeChecks } from './version-checks.ts'

export interface ExaminedCoordinator {
  /** Undefined if no helper can work here. */
  readonly machine: Machine<'check'> | undefined
  readonly subject: Subject
}

/** Looks at the machine on which this runs. */
export async function examineCoordinator(
  openHere: () => Promise<Machine<'check'>>,
  terms: CheckupTerms,
): Promise<ExaminedCoordinator> {
  let machine: Machine<'check'> | undefined
  const system = async (): Promise<readonly Check[]> => {
    const here = await openHere()
    machine = here
    const { condition } = await timedCondition(here, terms)
    return [
      ...systemChecks({ facts: here.facts, condition, store: terms.store }),
      ...(await attempt('packages', () => packageChecks(here, terms))),
    ]
  }
  const checks = await Promise.all([
    attempt('state', system),
    attempt('clock', () => ownClockChecks(terms)),
    attempt('ssh', () => sshChecks(terms)),
    attempt('isolation', () => isolationChecks(terms)),
    completionChecks(terms),
    temporaryChecks(terms),
    deploymentChecks(terms),
  ])
  return { machine, subject: { name: terms.here.host, targets: [], checks: [...nodeChecks(terms), ...checks.flat()] } }
}
