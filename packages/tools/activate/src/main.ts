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
  refuseTrial,
  refuseStrange,
  termsOfOptions,
} from '@davit/deployment'
import { Manifest, type PlanDocument } from '@davit/documents'
import { checkModulesHere, type ShellTarget } from '@davit/target'
import {
  defineTool,
  deploymentOf,
  directOf,
  handOn,
  refuseMore,
  stateDirectory,
  type ToolContext,
  trustToLook,
  trustUnless,
  usageError,
  withDeployment,
} from '@davit/tool'
import type { TransitionOutcome } from '@davit/transition-runner'

import { check } from './check.ts'
import { description } from './description.ts'
import { giveUp } from './give-up.ts'
import { asPlanned, readPlan, readPlanned } from './planned.ts'
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

export const tool = defineTool({
  ...description,
  async run(given) {
    const notes = transitionNotes(given.report)
    const expected = await readPlan(given)
    const context = asPlanned({ ...given, report: notes.report }, expected)
    const { args, print } = context
    refuseCombined(args)
    if (args.abandon.length > 0) return giveUp(context)
    const { profile, place } = deploymentOf(context)
    const { value: next, text } = await readNext(context, expected)
    const old = await readOld(context)
    const { generation, ...known } = await knownHere(place, old)
    // With --old-manifest the user vouches for what is active.
    const claim = old === undefined ? await onFirst(next, { ...args, ...known, profile, place }) : undefined
    const terms = {
      ...context,
      ...known,
      profile,
      place,
      claim,
      undeploy: args.undeploy,
      expected,
      ...termsOf(args, stateDirectory(context)),
    }
    if (args.check) return check(next, context, { ...terms, generation, trust: await trustToLook(context) })
    // If there may be nothing to undeploy, nothing is written until that is known.
    const isInDoubt = args.undeploy && claim !== undefined
    const purpose = args.dryRun || isInDoubt ? undefined : 'change'
    const run = { manifest: next, others: old === undefined ? [] : [old], text, trust: await trustUnless(context) }

    return withDeployment(context, { ...run, purpose }, async ({ targets, selection, lockUse, ...reached }) => {
      refuseMore(next, known.previous, selection)
      await refuseStrange(next, targets, claim)
      if (args.dryRun) return print(await planText(next, targets, { ...terms, selection, seconds: args.confirm }))
      if (isInDoubt) context.journal({ profile, manifest: text }, 'change')
      const confirm = confirmTerms(args.confirm, { ...next, ...reached, targets, context })
      const how = { machines: reached.stateMachines, confirm, direct: directOf(context), tellPlan: notes.tellPlan }
      const recording = await recordingOf({ next, text, lockUse, selection }, context)
      const outcome = await carryOut(next, targets, { ...terms, ...how, ...recording, selection, running: 'wait' })
      if (outcome.kind !== 'completed') throw outcomeError(outcome, EXIT_STATUS[outcome.kind])
      await handOn(context, () => ({ transition: notes.of(text) }))
      return print(text)
    })
  },
})

type Rendering = Pick<ToolContext<unknown>, 'columns' | 'colours'>

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

type NextArguments = Parameters<typeof readPlanned>[0]['args'] & { readonly originalProfile: boolean }

async function readNext(context: ToolContext<NextArguments>, plan: PlanDocument | undefined) {
  const read = await readPlanned(context, plan)
  if (context.args.originalProfile) refuseOtherStore(read.value.store)
  await checkModulesHere(read.value)
  return read
}

async function readOld({ args, readDocument }: ToolContext<{ readonly oldManifest: string | undefined }>) {
  return args.oldManifest === undefined ? undefined : (await readDocument(Manifest, args.oldManifest)).value
}

/** What this coordinator knows about the deployment; `old` takes the place of its last generation. */
async function knownHere(place: DeploymentPlace, old: Manifest | undefined) {
  const generation = old === undefined ? await currentGeneration(place) : undefined
  return { old, generation, previous: old ?? generation?.manifest, leftBehind: await readLeftBehind(place) }
}

interface CombinedArguments {
  readonly confirm: number | undefined
  readonly lock: boolean
  readonly rollback: boolean
  readonly abandon: readonly string[]
}

/** Refuses options that exclude each other: whoever goes back needs the lock, leaves nothing as it is, and has services to go back to. */
function refuseCombined({ confirm, lock, rollback, abandon }: CombinedArguments): void {
  if (confirm === undefined) return
  const others = [
    ['--no-lock', !lock],
    ['--no-rollback', !rollback],
    ['--abandon', abandon.length > 0],
  ] as const
  const other = others.find(([, isGiven]) => isGiven)
  if (other !== undefined)
    throw usageError(`options '--confirm' and '${other[0]}' cannot be combined`, 'omit one of them')
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
