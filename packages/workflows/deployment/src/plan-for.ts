import { asDetail, type Message, printable, type Report } from '@davit/diagnostics'
import type { Manifest, NamedMapping, TargetName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import {
  activitiesOf,
  type Activity,
  type ActivityKind,
  assumedOn,
  forgottenOf,
  inconsistenciesOf,
  isEmpty,
  KINDS,
  leftBehindMessages,
  leftBehindOf,
  type ObservedMapping,
  outdatedMessage,
  type PlanOptions,
  plannedMessage,
  planTransition,
  type Reason,
  renderTransition,
  targetLabelOf,
  type Transition,
  vanishedOf,
} from '@davit/transition'
import { type Deployed, deployedBy, type ObservationTerms, observeDeployment } from '@davit/observation'
import type { FoundService } from '@davit/observation'
import { say } from './messages.ts'
import { refuseConflicts } from './refuse-conflicts.ts'
import { type Claim, takeOver } from './take-over.ts'

export interface PlanTerms extends ObservationTerms, Pick<PlanOptions, 'upgrade' | 'changed'> {
  /** In place of what the targets say. */
  readonly old: Manifest | undefined
  /** Without it, all that is observed is ours. */
  readonly claim?: Claim | undefined
  /** On targets that were taken out of the infrastructure, by earlier runs. */
  readonly leftBehind?: readonly NamedMapping[] | undefined
  /** Whether all of the deployment is to be taken away, so that it matters what others are there. */
  readonly undeploy?: boolean
}

export interface Plan {
  readonly transition: Transition
  readonly deployed: Deployed
  /** Targets that were passed over: of what is there nothing is known. */
  readonly unreachable: ReadonlySet<TargetName>
  /** What goes on on targets that are no longer in the infrastructure, when this is done. */
  readonly leftBehind: readonly NamedMapping[]
  /** What else is to be known of it. */
  readonly notes: readonly Message[]
}

/** What leads from what is deployed to the next manifest. */
export async function planFor(next: Manifest, targets: readonly ShellTarget[], terms: PlanTerms): Promise<Plan> {
  const { previous, upgrade, changed = 'keep' } = terms
  const unreachable = unreachableOf(next, targets)
  const { leaving, ...deployed } = await deployedOn(targets, { ...terms, next, unreachable })
  const { observed } = deployed
  const transition = planTransition(next, [...observed, ...assumedOn(unreachable, next)], {
    upgrade,
    changed,
    ...(previous === undefined ? {} : { previous }),
  })
  refuseConflicts(transition, deployed)
  const skipped = [...transition.skipped, ...forgottenIn(next, { ...terms, observed, unreachable })]
  const notes = [...vanishedOf(leaving), ...(terms.undeploy === true ? othersIn(deployed) : [])]
  return { transition: { ...transition, skipped }, deployed, unreachable, leftBehind: leftBehindOf(leaving), notes }
}

interface DeployedTerms extends PlanTerms {
  readonly next: Manifest
  readonly unreachable: ReadonlySet<TargetName>
}

/** Of what is there, with what is to be told of it. */
async function deployedOn(targets: readonly ShellTarget[], { next, unreachable, ...terms }: DeployedTerms) {
  const { old, previous, claim, leftBehind: left = [] } = terms
  const known = old === undefined ? await observeDeployment(targets, next, terms) : deployedBy(old, { targets, next })
  const observed = known.observed.filter(({ mapping }) => !unreachable.has(mapping.target))
  const inconsistencies = inconsistenciesOf(next, unreachable, { previous }).map(({ message }) => message)
  const takenOver = claim === undefined ? [] : takeOver(next, observed.map(serviceOf), claim)
  const leaving = { next, previous, known: left, observed, unreachable }
  const behind = leftBehindMessages(leftBehindOf(leaving), next)
  return { ...known, observed, leaving, warnings: [...takenOver, ...known.warnings, ...inconsistencies, ...behind] }
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

/** Nothing is left of the deployment: perhaps another one was meant. */
function othersIn({ observed, neighbours }: Deployed): readonly Message[] {
  if (observed.length > 0) return []
  const profiles = [...new Set(neighbours.map(({ record }) => record.profile))].toSorted()
  return profiles.length === 0 ? [] : [say('others-here', { profiles })]
}

/** Targets of the manifest that were passed over. */
function unreachableOf(next: Manifest, targets: readonly ShellTarget[]): ReadonlySet<TargetName> {
  const reached = new Set(targets.map(({ name }) => name))
  return new Set([...next.infrastructure.keys()].filter((name) => !reached.has(name)))
}

/** The plan as lines. */
export function renderPlan({ transition, deployed, notes }: Plan): string {
  const lines = [...deployed.warnings, ...notes].map(({ message }) => `${message}\n`)
  return printable(lines.join('')) + renderTransition(transition, KINDS)
}

/** What of a plan is not seen from what is done. */
export function reportPlan({ transition, deployed, unreachable, notes }: Plan, report: Report): void {
  for (const message of [...deployed.warnings, ...notes, ...transition.skipped]) report(message)
  for (const outdated of transition.outdated) {
    const message = outdatedMessage(outdated)
    report(outdated.isTold ? asDetail(message) : message)
  }
  for (const activity of activitiesOf(transition)) {
    const message = plannedMessage(activity, KINDS)
    report(isSurprise(activity) ? message : asDetail(message))
  }
  if (!isEmpty(transition)) return
  const isAsSaid = [transition.outdated, deployed.warnings, [...unreachable], notes].every(({ length }) => length === 0)
  report(say(isAsSaid ? 'all-as-manifest' : 'nothing-to-do'))
}

/** What nobody has asked for is told with its reason; where it is stopped and started, once. */
function isSurprise({ kind, reasons }: Activity): boolean {
  return reasons.some((reason) => SURPRISES[kind].includes(reason.kind))
}

const SURPRISES: Readonly<Record<ActivityKind, readonly Reason['kind'][]>> = {
  deactivate: ['died', 'rebooted', 'damaged', 'cut-off', 'failed'],
  activate: ['missing'],
}
