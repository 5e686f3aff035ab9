import { markBegun, type DeploymentPlace, unmarkBegun, writeLeftBehind } from '@davit/coordinator-state'
import { type LockUse, withLock } from '@davit/deployment-lock'
import type { Manifest } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import type { TransitionOutcome } from '@davit/transition-runner'

import { applyManifest, type ApplyTerms } from './apply-manifest.ts'
import { type Plan, planFor, type PlanTerms } from './plan-for.ts'

export interface CarryOutTerms extends PlanTerms, Pick<ApplyTerms, 'rollback' | 'machines' | 'direct' | 'confirm'> {
  readonly place: DeploymentPlace
  readonly lockUse: LockUse
  /** Gets the plan before it is carried out. */
  readonly tellPlan?: ((plan: Plan) => void) | undefined
}

/** Takes the lock, plans the transition to the manifest, and carries it out. */
export async function carryOut(
  next: Manifest,
  targets: readonly ShellTarget[],
  { place, lockUse, tellPlan, ...terms }: CarryOutTerms,
): Promise<TransitionOutcome> {
  const plan = () => planFor(next, targets, terms)
  return withLock(targets, lockUse, async (lock) => {
    const first = await plan()
    const { renamed } = first.deployed
    return lock.extend(renamed, async ({ token, lost }) => {
      // What was observed there before it was locked may have changed.
      const last = renamed.length === 0 ? first : await plan()
      tellPlan?.(last)
      // From now on, services of this deployment may be there, however this run ends.
      if (terms.claim !== undefined) await markBegun(place)
      const outcome = await applyManifest(next, last, { ...terms, token, lost })
      if (outcome.kind === 'completed') await writeLeftBehind(place, last.leftBehind)
      if (terms.claim !== undefined && outcome.kind === 'rolled-back') await unmarkBegun(place)
      return outcome
    })
  })
}
