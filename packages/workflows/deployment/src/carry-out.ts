import {
  beginWanted,
  type DeploymentPlace,
  isSameManifest,
  markBegun,
  undoWanted,
  unmarkBegun,
  type WantedRun,
  writeLeftBehind,
} from '@davit/coordinator-state'
import { type HeldLock, type LockUse, withLock } from '@davit/deployment-lock'
import type { Manifest } from '@davit/documents'
import type { Store } from '@davit/store'
import type { ShellTarget } from '@davit/target'
import { isEmpty } from '@davit/transition'
import type { TransitionOutcome } from '@davit/transition-runner'

import { applyManifest, type ApplyTerms } from './apply-manifest.ts'
import { type Plan, planFor, type PlanTerms } from './plan-for.ts'
import { type ExpectedTerms, refuseOtherPlan } from './refuse-other-plan.ts'

export interface CarryOutTerms
  extends PlanTerms, Pick<ExpectedTerms, 'expected'>, Pick<ApplyTerms, 'rollback' | 'machines' | 'direct' | 'confirm'> {
  readonly place: DeploymentPlace
  readonly lockUse: LockUse
  /** Gets the plan before it is carried out. */
  readonly tellPlan?: ((plan: Plan) => void) | undefined
  /** How the run is recorded before it changes anything, so that it can be continued; undefined for what is never continued. */
  readonly wanted?: (Omit<WantedRun, 'run'> & { readonly store: Store }) | undefined
}

/** Takes the lock, plans the transition to the manifest, and carries it out. */
export async function carryOut(
  next: Manifest,
  targets: readonly ShellTarget[],
  { place, lockUse, tellPlan, wanted, ...terms }: CarryOutTerms,
): Promise<TransitionOutcome> {
  const plan = () => planFor(next, targets, terms)
  return withLock(targets, lockUse, async (lock) => {
    const first = await plan()
    const { renamed } = first.deployed
    return lock.extend(renamed, async ({ token, lost }) => {
      // What was observed there before it was locked may have changed.
      const last = renamed.length === 0 ? first : await plan()
      refuseOtherPlan(next, last, terms)
      tellPlan?.(last)
      const toRecord = isChange(last, next, terms.previous) ? wanted : undefined
      const onRecord: ApplyTerms['onRecord'] = (work) =>
        marked({ ...terms, place }, () => recorded(toRecord, { next, place, lock }, work))
      const outcome = await applyManifest(next, last, { ...terms, token, lost, onRecord })
      if (outcome.kind === 'completed') await writeLeftBehind(place, last.leftBehind)
      return outcome
    })
  })
}

/** Has a first deployment from this coordinator on record while it works: services may be there then, however the run ends. */
async function marked(
  { claim, place }: Pick<CarryOutTerms, 'claim' | 'place'>,
  work: () => Promise<TransitionOutcome>,
): Promise<TransitionOutcome> {
  if (claim === undefined) return work()
  await markBegun(place)
  const outcome = await work()
  if (outcome.kind === 'rolled-back') await unmarkBegun(place)
  return outcome
}

function isChange({ transition }: Plan, next: Manifest, previous: Manifest | undefined): boolean {
  return !isEmpty(transition) || previous === undefined || !isSameManifest(previous, next)
}

interface RecordTerms extends Pick<CarryOutTerms, 'place'> {
  readonly next: Manifest
  readonly lock: HeldLock
}

/** Works with a record of what is wanted, which stays unless the work was undone. */
async function recorded(
  wanted: CarryOutTerms['wanted'],
  { next, place, lock }: RecordTerms,
  work: () => Promise<TransitionOutcome>,
): Promise<TransitionOutcome> {
  if (wanted === undefined) return work()
  const run = nameOf(lock, wanted)
  const { kept } = await beginWanted(place, { ...wanted, ...run, manifest: next }, wanted.store)
  const [outcome] = await Promise.all([work(), kept])
  if (outcome.kind === 'rolled-back') await undoWanted(place, run.run, wanted.store)
  return outcome
}

/** Names a run. Without a lock, its targets are told nothing. */
function nameOf(
  { token }: Pick<HeldLock, 'token'>,
  { isTold }: Pick<WantedRun, 'isTold'>,
): Pick<WantedRun, 'run' | 'isTold'> {
  return token === '-' ? { run: 'unlocked', isTold: false } : { run: token, isTold }
}
