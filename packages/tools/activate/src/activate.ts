import { refuseOtherStore } from '@davit/adoption'
import { currentGeneration, type DeploymentPlace, readLeftBehind } from '@davit/coordinator-state'
import {
  carryOut,
  type CarryOutTerms,
  type ConfirmTerms,
  documentOf,
  onFirst,
  outcomeError,
  type PlanArguments,
  planFor,
  refuseOtherPlan,
  refuseStrange,
  refuseTrial,
  termsOfOptions,
} from '@davit/deployment'
import type { MadeFrom, Manifest, PlanDocument } from '@davit/documents'
import { checkModulesHere, type ShellTarget } from '@davit/target'
import {
  type ArgumentsOf,
  deploymentOf,
  directOf,
  type DocumentInput,
  refuseMore,
  type Rendering,
  type Run,
  stateDirectory,
  type StepContext,
  trustToLook,
  withDeployment,
} from '@davit/tool'
import type { TransitionOutcome } from '@davit/transition-runner'

import { wouldChange } from './check.ts'
import type { description } from './description.ts'
import { recordingOf } from './recording.ts'
import { transitionNotes } from './transition-notes.ts'
import { trialConnections, type TrialSurroundings } from './trial-connections.ts'

const EXIT_STATUS = {
  completed: 0,
  'rolled-back': 1,
  failed: 1,
  'lock-lost': 1,
  'old-services-lost': 2,
  'new-services-left': 3,
} satisfies Record<TransitionOutcome['kind'], number>

export type ActivateOptions = Omit<
  ArgumentsOf<typeof description.options, Record<never, never>>,
  'abandon' | 'check' | 'dryRun' | 'oldManifest' | 'origin' | 'plan'
>

/** What is to be reached. */
export interface Goal {
  readonly next: Pick<DocumentInput<Manifest>, 'value' | 'text'>
  /** The manifest for whose being active the user vouches. */
  readonly old?: Manifest | undefined
  /** The plan that is to be carried out, with whose options this is done. */
  readonly plan?: PlanDocument | undefined
}

/** Carries out the transition to a manifest; returns what its generation keeps of that. Throws if it does not succeed. */
export async function activate(
  goal: Goal & { readonly madeFrom: MadeFrom },
  options: ActivateOptions,
  run: Run,
): Promise<NonNullable<MadeFrom['transition']>> {
  const notes = transitionNotes(run.report)
  const context = { ...run, args: options, report: notes.report }
  const terms = await prepare(goal, context)
  const { profile, claim } = terms
  const { value: next, text } = goal.next
  // If there may be nothing to undeploy, nothing is written until that is known.
  const isInDoubt = options.undeploy && claim !== undefined
  const purpose = isInDoubt ? undefined : 'change'
  const deployment = { ...deploymentFor(goal), purpose, trust: 'everything' } as const
  return withDeployment(context, deployment, async ({ targets, selection, lockUse, ...reached }) => {
    refuseMore(next, terms.previous, selection)
    await refuseStrange(next, targets, claim)
    if (isInDoubt) context.journal({ profile, manifest: text }, 'change')
    const confirm = confirmTerms(options.confirm, { ...next, ...reached, targets, context })
    const how = { machines: reached.stateMachines, confirm, direct: directOf(context), tellPlan: notes.tellPlan }
    const recording = await recordingOf({ next, text, lockUse, selection, madeFrom: goal.madeFrom }, context)
    const outcome = await carryOut(next, targets, { ...terms, ...how, ...recording, selection, running: 'wait' })
    if (outcome.kind !== 'completed') throw outcomeError(outcome, EXIT_STATUS[outcome.kind])
    return notes.of(text)
  })
}

/** Renders the plan of the transition to a manifest as davit-plan does, unless it would be refused. */
export async function renderTransition(goal: Goal, options: ActivateOptions, run: Run & Rendering): Promise<string> {
  const context = { ...run, args: options }
  const terms = await prepare(goal, context)
  const { value: next } = goal.next
  const deployment = { ...deploymentFor(goal), purpose: undefined, trust: await trustToLook(context) }
  return withDeployment(context, deployment, async ({ targets, selection }) => {
    refuseMore(next, terms.previous, selection)
    await refuseStrange(next, targets, terms.claim)
    return planText(next, targets, { ...terms, selection, seconds: options.confirm })
  })
}

/** Tells whether anything would be changed, without changing it; throws if the transition would be refused. */
export async function checkTransition(
  goal: Goal,
  options: ActivateOptions,
  run: Run,
): Promise<'changed' | 'unchanged'> {
  const context = { ...run, args: options }
  const terms = await prepare(goal, context)
  const trust = await trustToLook(context)
  return (await wouldChange(goal.next.value, context, { ...terms, trust })) ? 'changed' : 'unchanged'
}

/** Finds out what this coordinator knows of the deployment, before any target is asked. */
async function prepare({ next, old, plan: expected }: Goal, context: StepContext<ActivateOptions>) {
  const { args } = context
  if (args.originalProfile) refuseOtherStore(next.value.store)
  await checkModulesHere(next.value)
  const { profile, place } = deploymentOf(context)
  const known = await knownHere(place, old)
  // With an old manifest, the user vouches for what is active.
  const claim = old === undefined ? await onFirst(next.value, { ...args, ...known, profile, place }) : undefined
  const own = { profile, place, claim, undeploy: args.undeploy, expected }
  return { ...context, ...known, ...own, ...termsOf(args, stateDirectory(context)) }
}

function deploymentFor({ next, old }: Goal) {
  return { manifest: next.value, others: old === undefined ? [] : [old], text: next.text }
}

/** Shows the plan as davit-plan does, unless it would be refused. */
async function planText(
  next: Manifest,
  targets: readonly ShellTarget[],
  {
    seconds,
    columns,
    colours = false,
    ...terms
  }: Omit<CarryOutTerms, 'running' | 'lockUse' | 'rollback'> & Rendering & { readonly seconds: number | undefined },
): Promise<string> {
  const plan = await planFor(next, targets, { ...terms, running: 'tell' })
  refuseOtherPlan(next, plan, terms)
  if (seconds !== undefined) refuseTrial(plan)
  const { renderText } = await import('@davit/review')
  // It is davit-set that sets profiles.
  const document = { ...documentOf(next, plan, terms), profiles: [] }
  return renderText(document, { by: 'order', fold: true, columns, colours })
}

function confirmTerms(seconds: number | undefined, surroundings: TrialSurroundings): ConfirmTerms | undefined {
  return seconds === undefined ? undefined : { seconds, connections: trialConnections(surroundings) }
}

/** What this coordinator knows about the deployment; `old` takes the place of its last generation. */
async function knownHere(place: DeploymentPlace, old: Manifest | undefined) {
  const generation = old === undefined ? await currentGeneration(place) : undefined
  return { old, generation, previous: old ?? generation?.manifest, leftBehind: await readLeftBehind(place) }
}

interface TermArguments extends PlanArguments {
  readonly originalProfile: boolean
  readonly rollback: boolean
  readonly activityTimeout: number | undefined
}

function termsOf({ rollback, activityTimeout: timeoutSeconds, ...args }: TermArguments, directory: string) {
  const { originalProfile } = args
  const own = { originalProfile, rollback: rollback ? 'rollback' : 'keep', timeoutSeconds } as const
  return { ...termsOfOptions(args, directory), ...own }
}
