import { asDetail, type Message, type Report, type Trace, traced } from '@davit/diagnostics'
import {
  type Manifest,
  type MappingId,
  mappingIdOf,
  type NamedMapping,
  type PlannedStep,
  type TargetName,
} from '@davit/documents'
import type { Selection } from '@davit/selection'
import type { ShellTarget } from '@davit/target'
import {
  activitiesOf,
  type Activity,
  assumedIn,
  factsOf,
  forgottenOf,
  inconsistenciesOf,
  isEmpty,
  KINDS,
  leftBehindMessages,
  leftBehindOf,
  type ObservedMapping,
  outdatedMessage,
  placedServices,
  type PlanOptions,
  plannedMessage,
  planTransition,
  type Reason,
  targetLabelOf,
  type Transition,
  vanishedOf,
} from '@davit/transition'
import { type Deployed, deployedBy, type ObservationTerms, observeDeployment } from '@davit/observation'
import type { FoundService } from '@davit/observation'
import { say } from './messages.ts'
import { refuseConflicts } from './refuse-conflicts.ts'
import { refuseFleeting } from './refuse-fleeting.ts'
import { refuseMissingModules } from './refuse-missing-modules.ts'
import { type OriginalPlanTerms, refuseOriginal } from './refuse-original.ts'
import { perhapsGone } from './state/perhaps-gone.ts'
import { isInScope, unreachableOf } from './scope.ts'
import { planState, type StateTerms } from './state/state-plan.ts'
import { type Claim, takeOver } from './take-over.ts'

export interface PlanTerms extends ObservationTerms, OriginalPlanTerms, Pick<PlanOptions, 'upgrade' | 'changed'> {
  /** Manifest of what is active, instead of what the targets report. */
  readonly old: Manifest | undefined
  /** Without it, everything observed counts as deployed from this coordinator. */
  readonly claim?: Claim | undefined
  /** Services that earlier runs left on targets removed from the infrastructure. */
  readonly leftBehind?: readonly NamedMapping[] | undefined
  /** Whether the whole deployment is removed, so that other deployments on the targets are worth a note. */
  readonly undeploy?: boolean
  readonly trace?: Trace | undefined
  /** All that may be touched; undefined if everything may be. */
  readonly selection?: Selection | undefined
  /** Without it, no state moves. */
  readonly state?: StateTerms | undefined
}

export interface Plan {
  readonly transition: Transition
  readonly deployed: Deployed
  /** Targets that were skipped; nothing is known about them. */
  readonly unreachable: ReadonlySet<TargetName>
  /** Services that keep running on targets no longer in the infrastructure, once this plan is carried out. */
  readonly leftBehind: readonly NamedMapping[]
  /** Mappings whose modules restore state before they activate. */
  readonly restoresFirst: ReadonlySet<MappingId>
  /** Further notes on the plan. */
  readonly notes: readonly Message[]
}

/** Plans the transition from what is deployed to the next manifest. */
export async function planFor(next: Manifest, targets: readonly ShellTarget[], terms: PlanTerms): Promise<Plan> {
  const { previous, upgrade, changed = 'keep', trace } = terms
  const unreachable = unreachableOf(next, targets)
  const { leaving, ...deployed } = await traced(trace, { kind: 'work', name: 'observe' }, () =>
    deployedOn(targets, { ...terms, next, unreachable }),
  )
  const { observed, places, blank } = deployed
  const state = await planState({ ...terms, next, observed, unreachable, places, blank }, terms.state)
  const options = { upgrade, changed, ...(previous === undefined ? {} : { previous }), ...state.planned }
  const transition = await traced(trace, { kind: 'work', name: 'plan' }, () =>
    planTransition(
      next,
      [...observed, ...assumedIn(next, (one) => !isInScope(one, { ...terms, unreachable }))],
      options,
    ),
  )
  refuseConflicts(next, transition, deployed)
  await refuseMissingModules(next, { transition, places, running: terms.running })
  const beside = [...refuseFleeting(transition, deployed), ...refuseOriginal(transition, deployed, terms)]
  const skipped = [...transition.skipped, ...forgottenIn(next, { ...terms, observed, unreachable })]
  const notes = [
    ...beside,
    ...state.messages,
    ...perhapsGone(observed),
    ...vanishedOf(leaving),
    ...(upgrade === 'repair' ? leftOut(next, transition, { ...terms, observed, unreachable }) : []),
    ...(terms.undeploy === true ? othersIn(deployed) : []),
  ]
  return {
    transition: { ...transition, skipped },
    deployed,
    unreachable,
    leftBehind: leftBehindOf(leaving),
    restoresFirst: state.planned.state?.restoresFirst ?? new Set(),
    notes,
  }
}

interface DeployedTerms extends PlanTerms {
  readonly next: Manifest
  readonly unreachable: ReadonlySet<TargetName>
}

/** Observes what is deployed, and collects the warnings about it. */
async function deployedOn(targets: readonly ShellTarget[], { next, unreachable, ...terms }: DeployedTerms) {
  const { old, previous, claim, leftBehind: left = [] } = terms
  const known = old === undefined ? await observeDeployment(targets, next, terms) : deployedBy(old, { targets, next })
  const observed = known.observed.filter((one) => isInScope(one, { ...terms, unreachable }))
  const inconsistencies = inconsistenciesOf(next, unreachable, { previous }).map(({ message }) => message)
  const takenOver = claim === undefined ? [] : takeOver(next, observed.map(serviceOf), claim)
  const leaving = { next, previous, known: left, observed, unreachable }
  const behind = leftBehindMessages(leftBehindOf(leaving), next)
  return { ...known, observed, leaving, warnings: [...takenOver, ...known.warnings, ...inconsistencies, ...behind] }
}

/** Names the services of a manifest that are not deployed, and that a repair does not deploy. */
function leftOut(
  next: Manifest,
  transition: Transition,
  { observed, ...scope }: Pick<ForgottenTerms, 'observed' | 'unreachable' | 'selection'>,
): readonly Message[] {
  const activated = activitiesOf(transition).map(({ mapping }) => mappingIdOf(mapping))
  const known = new Set([...observed.map(({ mapping }) => mappingIdOf(mapping)), ...activated])
  const left = [...placedServices(next)].filter(([id, one]) => !known.has(id) && isInScope(one, scope))
  const services = left.map(([, { service, mapping }]) => `'${service.name}' on '${mapping.target}'`)
  return services.length === 0 ? [] : [say('repair-leaves', { services })]
}

interface ForgottenTerms extends PlanTerms {
  readonly observed: readonly ObservedMapping[]
  readonly unreachable: ReadonlySet<TargetName>
}

function forgottenIn(next: Manifest, { previous, old, upgrade, ...terms }: ForgottenTerms): readonly Message[] {
  if (previous === undefined || old !== undefined || upgrade !== 'upgrade') return []
  return forgottenOf({ ...terms, previous, next })
}

function serviceOf(observed: ObservedMapping): FoundService {
  return { target: targetLabelOf(observed), key: observed.mapping.service, name: observed.service.name }
}

/** Names other deployments if nothing is left of this one, since another one may have been meant. */
function othersIn({ observed, neighbours }: Deployed): readonly Message[] {
  if (observed.length > 0) return []
  const profiles = [...new Set(neighbours.map(({ record }) => record.profile))].toSorted()
  return profiles.length === 0 ? [] : [say('others-here', { profiles })]
}

/** The steps of a plan as data, in an order in which they can be done one by one. */
export function stepsIn({ transition }: Plan): readonly PlannedStep[] {
  return activitiesOf(transition).map((activity) => factsOf(activity, KINDS))
}

/** Reports what a plan says besides its activities, and all of these with their reasons if nobody asked for some of them. */
export function reportPlan(plan: Plan, report: Report): void {
  const { transition } = plan
  reportRemarks(plan, report)
  const activities = activitiesOf(transition)
  const isSurprising = activities.some(isSurprise)
  for (const activity of activities) {
    const message = plannedMessage(activity, KINDS)
    report(isSurprising ? message : asDetail(message))
  }
  if (isEmpty(transition)) report(say(isAsSaid(plan) ? 'all-as-manifest' : 'nothing-to-do'))
}

/** Reports a plan without activities if everything else that a run sets is as in the manifest too. */
export function reportUnchanged(plan: Plan, everything: readonly string[], report: Report): void {
  reportRemarks(plan, report)
  report(isAsSaid(plan) ? say('unchanged', { everything }) : say('nothing-to-do'))
}

function reportRemarks({ transition, deployed, notes }: Plan, report: Report): void {
  for (const message of [...deployed.warnings, ...notes, ...transition.skipped]) report(message)
  for (const outdated of transition.outdated) {
    const message = outdatedMessage(outdated)
    report(outdated.isTold ? asDetail(message) : message)
  }
}

/** Whether nothing differs from the manifest, not even what the plan leaves alone. */
function isAsSaid({ transition, deployed, unreachable, notes }: Plan): boolean {
  return [transition.outdated, deployed.warnings, [...unreachable], notes].every(({ length }) => length === 0)
}

/** Whether nobody asked for an activity. */
function isSurprise({ reasons }: Activity): boolean {
  return reasons.some(({ kind }) => SURPRISES.has(kind))
}

const SURPRISES: ReadonlySet<Reason['kind']> = new Set([
  'died',
  'rebooted',
  'damaged',
  'cut-off',
  'failed',
  'missing',
  'not-restored',
])
