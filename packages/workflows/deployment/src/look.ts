import {
  type DeploymentPlace,
  type Generation,
  generationRoot,
  isRollbackRecorded,
  isSameManifest,
  isWanted,
} from '@davit/coordinator-state'
import { readLockRecord } from '@davit/deployment-lock'
import { DavitError, type ReportEvent } from '@davit/diagnostics'
import type { Manifest, TargetName } from '@davit/documents'
import type { DeployedMapping } from '@davit/observation'
import type { Store } from '@davit/store'
import { type Deviation, isSkippable, lookAtTarget, type ReachedTargets, type ShellTarget } from '@davit/target'
import { isSettled } from '@davit/target-runtime'
import { isEmpty } from '@davit/transition'

import { type Plan, planFor, type PlanTerms, reportUnchanged } from './plan-for.ts'
import { type ExpectedTerms, refuseOtherPlan } from './refuse-other-plan.ts'

export interface LookTerms extends Omit<PlanTerms, 'claim' | 'old' | 'running'> {
  readonly place: DeploymentPlace
  /** The current generation of the coordinator. */
  readonly generation: Generation | undefined
  /** What a run sets after it has activated the services: the profiles of the targets, and the generation of the coordinator. */
  readonly sets: readonly ('profiles' | 'generation')[]
  readonly store: Store
}

/** Whether a run would change nothing on the coordinator, and has nothing to finish there that an earlier one has begun. */
export async function isRecorded(next: Manifest, { place, generation, sets, store }: LookTerms): Promise<boolean> {
  if ((await readLockRecord(place)) !== undefined || (await isWanted(place))) return false
  if (!sets.includes('generation')) return true
  if (generation === undefined || !isSameManifest(generation.manifest, next)) return false
  if (await isRollbackRecorded(place)) return false
  return store.hasRoot(generationRoot(place, generation.number), [...next.profiles.values()])
}

/**
 * Whether a run would change nothing on the targets; if so, reports what such a run has to report. Only reads, and asks modules
 * for the status of their services. If a target cannot be reached, the run itself has to decide what to do about it.
 */
export async function isDeployed(next: Manifest, reached: ReachedTargets, terms: LookTerms): Promise<boolean> {
  if (reached.unreachable.size > 0) return false
  const events: ReportEvent[] = []
  const plan = await settledPlan(next, [...reached.targets.values()], {
    ...terms,
    report: (event) => void events.push(event),
  }).catch(unlessForTheRun)
  if (plan === undefined) return false
  for (const event of events) terms.report(event)
  reportUnchanged(plan, ['services', ...terms.sets], terms.report)
  return true
}

/**
 * Refuses a plan that does something else than the expected one, as far as that can be told: what still runs, or cannot be reached, is
 * left to the run.
 */
export async function refuseOutdated(
  next: Manifest,
  reached: ReachedTargets,
  terms: Omit<LookTerms, 'generation' | 'sets' | 'store'> & ExpectedTerms,
): Promise<void> {
  const isSkipped = (name: TargetName) => terms.expected?.skipped.includes(name) === true
  if ([...reached.unreachable.keys()].some((name) => !isSkipped(name))) return
  const report = () => {}
  const plan = await planFor(next, [...reached.targets.values()], {
    ...terms,
    report,
    old: undefined,
    running: 'tell',
  }).catch(unlessForTheRun)
  if (plan !== undefined) refuseOtherPlan(next, plan, terms)
}

/** Returns the plan if it has no step, and nothing else keeps the targets from being as a run leaves them. */
async function settledPlan(
  next: Manifest,
  targets: readonly ShellTarget[],
  terms: LookTerms,
): Promise<Plan | undefined> {
  const [deviations, plan] = await Promise.all([
    deviationsOn(targets, next, terms),
    planFor(next, targets, { ...terms, old: undefined, running: 'tell' }),
  ])
  return deviations.length === 0 && isDone(plan, terms) ? plan : undefined
}

/** Rethrows an error, unless the run itself has to deal with its cause: a machine that was lost, or an activity that runs. */
function unlessForTheRun(error: unknown): undefined {
  if (error instanceof DavitError && (isSkippable(error) || error.code === 'still-running')) return undefined
  throw error
}

async function deviationsOn(
  targets: readonly ShellTarget[],
  next: Manifest,
  { profile, store, sets }: LookTerms,
): Promise<readonly Deviation[]> {
  const ignored: readonly Deviation[] = sets.includes('profiles') ? [] : ['profile', 'root']
  const found = targets.map(async (target): Promise<readonly Deviation[]> => {
    const path = next.profiles.get(target.name)
    if (path === undefined) return ['missing']
    const closure = store.kind === 'native' ? await store.closure([path]) : []
    return lookAtTarget(target, { profile, path, store: next.store, closure })
  })
  return (await Promise.all(found)).flat().filter((deviation) => !ignored.includes(deviation))
}

/** Whether a plan has no step, and nothing is in doubt that a run would settle. */
function isDone({ transition, deployed, leftBehind }: Plan, terms: LookTerms): boolean {
  const { observed, renamed, unusable } = deployed
  const isListed = JSON.stringify(leftBehind) === JSON.stringify(terms.leftBehind ?? [])
  return isEmpty(transition) && isListed && renamed.length === 0 && unusable.length === 0 && observed.every(isAtRest)
}

function isAtRest({ state, running, doubt, isLocked = false, isInstalled = false }: DeployedMapping): boolean {
  return isSettled(state) && !running && doubt === undefined && !isLocked && !isInstalled
}
