import { printable, type Report } from '@davit/diagnostics'
import type { Manifest, TargetName } from '@davit/documents'
import type { ShellTarget } from '@davit/target'
import {
  type Activity,
  assumedOn,
  forgottenOf,
  inconsistenciesOf,
  isEmpty,
  type OutdatedMapping,
  type PlanOptions,
  planTransition,
  type Reason,
  renderActivity,
  renderOutdated,
  renderTransition,
  type Transition,
} from '@davit/transition'
import { type Deployed, deployedBy, type ObservationTerms, observeDeployment } from './deployed.ts'
import { refuseConflicts } from './refuse-conflicts.ts'

interface PlanTerms extends ObservationTerms, Pick<PlanOptions, 'upgrade' | 'changed'> {
  /** In place of what the targets say. */
  readonly old: Manifest | undefined
}

export interface Plan {
  readonly transition: Transition
  readonly deployed: Deployed
  /** Targets that were passed over: of what is there nothing is known. */
  readonly unreachable: ReadonlySet<TargetName>
}

/** What leads from what is deployed to the next manifest. */
export async function planFor(next: Manifest, targets: readonly ShellTarget[], terms: PlanTerms): Promise<Plan> {
  const { old, previous, upgrade, changed = 'keep' } = terms
  const known = old === undefined ? await observeDeployment(targets, next, terms) : deployedBy(old, { targets, next })
  const unreachable = unreachableOf(next, targets)
  const observed = known.observed.filter(({ mapping }) => !unreachable.has(mapping.target))
  const inconsistencies = inconsistenciesOf(next, unreachable, { previous }).map(({ message }) => message)
  const deployed = { ...known, observed, warnings: [...known.warnings, ...inconsistencies] }
  const transition = planTransition(next, [...observed, ...assumedOn(unreachable, next)], {
    upgrade,
    changed,
    ...(previous === undefined ? {} : { previous }),
  })
  refuseConflicts(transition, deployed)
  if (previous === undefined || old !== undefined || upgrade !== 'upgrade') return { transition, deployed, unreachable }
  const forgotten = forgottenOf({ previous, next, observed, unreachable })
  return { transition: { ...transition, skipped: [...transition.skipped, ...forgotten] }, deployed, unreachable }
}

/** Targets of the manifest that were passed over. */
function unreachableOf(next: Manifest, targets: readonly ShellTarget[]): ReadonlySet<TargetName> {
  const reached = new Set(targets.map(({ name }) => name))
  return new Set([...next.infrastructure.keys()].filter((name) => !reached.has(name)))
}

/** The plan as lines. */
export function renderPlan({ transition, deployed }: Plan): string {
  return printable(deployed.warnings.map((line) => `${line}\n`).join('')) + renderTransition(transition)
}

/** What of a plan is not seen from what is done. */
export function reportPlan({ transition, deployed, unreachable }: Plan, report: Report): void {
  for (const message of deployed.warnings) report({ kind: 'warning', message })
  for (const { message } of transition.skipped) report({ kind: 'note', message })
  for (const outdated of transition.outdated) reportOutdated(outdated, report)
  for (const activity of [...transition.deactivations, ...transition.activations])
    report({ kind: isSurprise(activity) ? 'note' : 'detail', message: renderActivity(activity) })
  if (!isEmpty(transition)) return
  const isAsSaid = transition.outdated.length + deployed.warnings.length + unreachable.size === 0
  report({ kind: 'note', message: `nothing to do${isAsSaid ? ': all services are as the manifest says' : ''}` })
}

function reportOutdated(outdated: OutdatedMapping, report: Report): void {
  const message = `${renderOutdated(outdated)}: --restart-changed restarts it`
  report({ kind: outdated.isTold ? 'detail' : 'note', message })
}

/** What nobody has asked for is told with its reason; where it is stopped and started, once. */
function isSurprise({ kind, reasons }: Activity): boolean {
  return reasons.some((reason) => (kind === 'deactivate' ? FOUND : [MISSING]).includes(reason.kind))
}

const FOUND: readonly Reason['kind'][] = ['died', 'rebooted', 'damaged', 'cut-off']
const MISSING: Reason['kind'] = 'missing'
