import type { Manifest } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import { type PlanOptions, planTransition, type Transition } from '@davit/transition'
import { type Deployed, deployedBy, type ObservationTerms, observeDeployment } from './deployed.ts'

interface PlanTerms extends ObservationTerms {
  /** In place of what the targets say. */
  readonly old: Manifest | undefined
  /** Only explains. */
  readonly previous: Manifest | undefined
  readonly upgrade: PlanOptions['upgrade']
}

export interface Plan {
  readonly transition: Transition
  readonly deployed: Deployed
}

/** What leads from what is deployed to the next manifest. */
export async function planFor(next: Manifest, targets: readonly ShellTarget[], terms: PlanTerms): Promise<Plan> {
  const { old, previous, upgrade } = terms
  const deployed = old === undefined ? await observeDeployment(targets, terms) : deployedBy(old, { targets, next })
  const transition = planTransition(next, deployed.observed, {
    upgrade,
    ...(previous === undefined ? {} : { previous }),
  })
  return { transition, deployed }
}
