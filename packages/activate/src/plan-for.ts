import type { Report } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import { type PlanOptions, planTransition, type Transition } from '@davit/transition'
import { type Deployed, deployedBy, observeDeployment } from './deployed.ts'

interface PlanTerms {
  readonly profile: ProfileName
  /** In place of what the targets say. */
  readonly old: Manifest | undefined
  /** Only explains. */
  readonly previous: Manifest | undefined
  readonly upgrade: PlanOptions['upgrade']
  readonly report: Report
}

export interface Plan {
  readonly transition: Transition
  readonly deployed: Deployed
}

/** What leads from what is deployed to the next manifest. */
export async function planFor(next: Manifest, targets: readonly ShellTarget[], terms: PlanTerms): Promise<Plan> {
  const { profile, old, previous, upgrade, report } = terms
  const deployed =
    old === undefined ? await observeDeployment(targets, profile, report) : deployedBy(old, { targets, next })
  const transition = planTransition(next, deployed.observed, {
    upgrade,
    ...(previous === undefined ? {} : { previous }),
  })
  return { transition, deployed }
}
