import { currentGeneration, readLeftBehind } from '@davit/coordinator-state'
import { documentOf, onFirst, planFor, refuseStrange, termsOfOptions } from '@davit/deployment'
import { planTransfers } from '@davit/distribution'
import type { Manifest, PlanDocument } from '@davit/documents'
import { openStore } from '@davit/store'
import { checkModulesHere, type ShellTarget, targetsToUse } from '@davit/target'
import {
  deploymentOf,
  onSelected,
  type OpenMachine,
  selectionIn,
  stateDirectory,
  trustToLook,
  withTargets,
} from '@davit/tool'

import type { PlanContext } from './plan.ts'

/** Plans the way from what the targets report to a manifest, as davit-activate does, and finds out what they lack. */
export async function planAgainstTargets(next: Manifest, context: PlanContext): Promise<PlanDocument> {
  const { args, report } = context
  const { profile, place } = deploymentOf(context)
  await checkModulesHere(next)
  const { takeOver, undeploy } = args
  const previous = (await currentGeneration(place))?.manifest
  const claim = await onFirst(next, { profile, place, takeOver, undeploy, previous })
  const manifests = [next, ...(previous === undefined ? [] : [previous])]
  const selection = selectionIn(manifests, args.on)
  const terms = {
    ...context,
    ...termsOfOptions(args, stateDirectory(context)),
    profile,
    previous,
    claim,
    undeploy,
    old: undefined,
    leftBehind: await readLeftBehind(place),
    running: 'tell' as const,
    selection,
  }
  const infrastructure = onSelected(next.infrastructure, selection)
  const trust = await trustToLook(context)
  return withTargets(infrastructure, { ...context, role: 'deploy', manifests, trust }, async (reached, _, open) => {
    const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
    await refuseStrange(next, targets, claim)
    const document = documentOf(next, await planFor(next, targets, terms), terms)
    return { ...document, ...(await transfersIn(document, targets, { context, open })) }
  })
}

interface Scene {
  readonly context: PlanContext
  readonly open: OpenMachine
}

/** Asks the targets on which something changes what they lack; the others have what they run. */
async function transfersIn(
  { manifest, steps, profiles }: PlanDocument,
  targets: readonly ShellTarget[],
  { context, open }: Scene,
): Promise<Pick<PlanDocument, 'transfers'>> {
  const changing = new Set<string>([...profiles, ...steps.map(({ target }) => target)])
  const asked = targets.filter(({ name }) => changing.has(name))
  if (asked.length === 0) return { transfers: [] }
  const store = await openStore(manifest.store, context)
  const transfers = await planTransfers(manifest, asked, { store, open, signal: context.signal })
  return transfers === undefined ? {} : { transfers }
}
