import { type FirstTerms, isDeployed, isRecorded, type LookTerms, refuseStrange } from '@davit/deployment'
import type { Manifest } from '@davit/documents'
import { openStore } from '@davit/store'
import { type ToolContext, withTargets } from '@davit/tool'

interface Arguments {
  readonly repair: boolean
  readonly originalProfile: boolean
  readonly targetProfiles: boolean
  readonly coordinatorProfile: boolean
}

interface CheckTerms extends Omit<LookTerms, 'sets' | 'store'> {
  readonly claim: FirstTerms | undefined
  readonly old: Manifest | undefined
}

/** Carries out `davit-activate --check`. */
export async function check(next: Manifest, context: ToolContext<Arguments>, terms: CheckTerms): Promise<void> {
  const answer = (await wouldChange(next, context, terms)) ? 'changed' : 'unchanged'
  await context.print(`${answer}\n`)
}

async function wouldChange(
  next: Manifest,
  context: ToolContext<Arguments>,
  { claim, old, ...terms }: CheckTerms,
): Promise<boolean> {
  if (claim !== undefined) {
    await checkClaim(next, context, claim)
    return true
  }
  const { repair, originalProfile } = context.args
  // A repair is asked for by somebody who knows that something is wrong.
  if (repair || originalProfile || old !== undefined) return true
  const look = { ...terms, sets: setsOf(context.args), store: await openStore(next.store, context) }
  if (!(await isRecorded(next, look))) return true
  const manifests = [next, ...(terms.previous === undefined ? [] : [terms.previous])]
  return withTargets(
    next.infrastructure,
    { ...context, role: 'deploy', manifests },
    async (reached) => !(await isDeployed(next, reached, look)),
  )
}

/** What a run sets after it has activated the services. */
function setsOf({ targetProfiles, coordinatorProfile }: Arguments): LookTerms['sets'] {
  return [...(targetProfiles ? ['profiles' as const] : []), ...(coordinatorProfile ? ['generation' as const] : [])]
}

/** Checks the targets that can be reached; whether the others matter is decided when targets are changed. */
async function checkClaim(next: Manifest, context: ToolContext<Arguments>, claim: FirstTerms): Promise<void> {
  await withTargets(
    next.infrastructure,
    { ...context, role: 'deploy', manifests: [next] },
    async ({ targets, unreachable }) => {
      const undeploy = claim.undeploy && unreachable.size === 0
      await refuseStrange(next, [...targets.values()], { ...claim, undeploy })
    },
  )
}
