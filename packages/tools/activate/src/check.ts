import {
  type FirstTerms,
  isDeployed,
  isRecorded,
  type LookTerms,
  refuseOutdated,
  refuseStrange,
} from '@davit/deployment'
import type { Manifest, PlanDocument } from '@davit/documents'
import { openStore } from '@davit/store'
import type { ReachedTargets } from '@davit/target'
import { onSelected, refuseMore, selectionIn, type StepContext, type Trust, withTargets } from '@davit/tool'

interface Arguments {
  readonly on: readonly string[]
  readonly repair: boolean
  readonly originalProfile: boolean
  readonly targetProfiles: boolean
  readonly coordinatorProfile: boolean
}

interface CheckTerms extends Omit<LookTerms, 'sets' | 'store'> {
  readonly expected: PlanDocument | undefined
  readonly claim: FirstTerms | undefined
  readonly old: Manifest | undefined
  readonly trust: Trust
}

/** Whether a run would change anything; throws if it would be refused. */
export async function wouldChange(
  next: Manifest,
  context: StepContext<Arguments>,
  given: Omit<CheckTerms, 'selection'>,
): Promise<boolean> {
  const { claim, expected, previous } = given
  const selection = selectionIn([next, ...(previous === undefined ? [] : [previous])], context.args.on)
  refuseMore(next, previous, selection)
  const terms = { ...given, selection }
  if (claim !== undefined) await checkClaim(next, context, { ...terms, ...claim })
  if (expected !== undefined) await checkPlan(next, context, terms)
  return isWork(context, terms) || looksChanged(next, context, terms)
}

/** Whether a run is needed, whatever the targets say. */
function isWork({ args }: StepContext<Arguments>, { claim, expected, old }: CheckTerms): boolean {
  if (claim !== undefined || old !== undefined || (expected?.steps.length ?? 0) > 0) return true
  // A repair is asked for by somebody who knows that something is wrong.
  return args.repair || args.originalProfile
}

async function looksChanged(next: Manifest, context: StepContext<Arguments>, terms: CheckTerms): Promise<boolean> {
  const look = { ...terms, sets: setsOf(context.args), store: await openStore(next.store, context) }
  if (!(await isRecorded(next, look))) return true
  return onTargets(next, { context, terms }, async (reached) => !(await isDeployed(next, reached, look)))
}

/** Refuses a plan that is outdated before anything is sent. */
async function checkPlan(next: Manifest, context: StepContext<Arguments>, terms: CheckTerms): Promise<void> {
  await onTargets(next, { context, terms }, (reached) => refuseOutdated(next, reached, terms))
}

interface Scene {
  readonly context: StepContext<Arguments>
  readonly terms: Pick<CheckTerms, 'previous' | 'selection' | 'trust'>
}

function onTargets<Result>(
  next: Manifest,
  { context, terms: { previous, selection, trust } }: Scene,
  use: (reached: ReachedTargets) => Promise<Result>,
): Promise<Result> {
  const manifests = [next, ...(previous === undefined ? [] : [previous])]
  return withTargets(onSelected(next.infrastructure, selection), { ...context, role: 'deploy', manifests, trust }, use)
}

/** What a run sets after it has activated the services. */
function setsOf({ targetProfiles, coordinatorProfile }: Arguments): LookTerms['sets'] {
  return [...(targetProfiles ? ['profiles' as const] : []), ...(coordinatorProfile ? ['generation' as const] : [])]
}

/** Checks the targets that can be reached; whether the others matter is decided when targets are changed. */
async function checkClaim(
  next: Manifest,
  context: StepContext<Arguments>,
  { selection, trust, ...claim }: FirstTerms & Pick<CheckTerms, 'selection' | 'trust'>,
): Promise<void> {
  await withTargets(
    onSelected(next.infrastructure, selection),
    { ...context, role: 'deploy', manifests: [next], trust },
    async ({ targets, unreachable }) => {
      const undeploy = claim.undeploy && unreachable.size === 0
      await refuseStrange(next, [...targets.values()], { ...claim, undeploy })
    },
  )
}
