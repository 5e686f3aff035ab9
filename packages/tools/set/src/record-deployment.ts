import { givenBackTo, refuseOtherStore } from '@davit/adoption'
import {
  currentGeneration,
  type Deployed,
  type DeploymentPlace,
  endWanted,
  type Origin,
} from '@davit/coordinator-state'
import { withLock } from '@davit/deployment-lock'
import type { MadeFrom, Manifest } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { openStore } from '@davit/store'
import { checkModulesHere } from '@davit/target'
import {
  type ArgumentsOf,
  deploymentOf,
  type DocumentInput,
  refuseMore,
  type Run,
  type StepContext,
  withDeployment,
} from '@davit/tool'

import type { description } from './description.ts'
import { madeFromFor } from './made-from.ts'
import { say } from './messages.ts'
import { checkGeneration, recordGeneration, returnToGeneration } from './record-generation.ts'
import { setProfiles } from './set-profiles.ts'
import { targetsBehind } from './targets-behind.ts'

export type SetOptions = Omit<ArgumentsOf<typeof description.options, Record<never, never>>, 'origin'>

interface ActiveManifest extends Pick<DocumentInput<Manifest>, 'value' | 'text'> {
  /** What its generation is made from. */
  readonly madeFrom: MadeFrom
}

/** Records a manifest as what is deployed: sets the profiles of its targets, and adds a generation or returns to one. */
export async function recordDeployment(
  { value: manifest, text, madeFrom: known }: ActiveManifest,
  options: SetOptions,
  run: Run,
): Promise<void> {
  const { report } = run
  const context = { ...run, args: options }
  const { profile, place } = deploymentOf(context)
  await checkModulesHere(manifest)
  const { generation } = options
  if (options.originalProfile) refuseOtherStore(manifest.store)
  if (generation !== undefined) await checkGeneration(place, generation, manifest)
  const madeFrom = await madeFromFor(context, { place, manifest, text, known })
  const record = (confirm: () => Promise<void>) =>
    recordHere({ place, deployed: { manifest, text, madeFrom, origin: originOf(run) }, confirm }, context)
  if (!options.targetProfiles) {
    run.journal({ profile, manifest: text }, 'change')
    return record(async () => {})
  }
  const deployment = { manifest, text, purpose: 'change', trust: 'everything' } as const
  await withDeployment(context, deployment, async ({ targets, selection, lockUse, adoptionMachines: machines }) =>
    withLock(targets, lockUse, async ({ token, confirm }) => {
      const before = (await currentGeneration(place))?.manifest
      refuseMore(manifest, before, selection)
      const generations = generation === undefined ? 'add' : 'reuse'
      await setProfiles(manifest, targets, { token, profile, report, generations })
      if (options.originalProfile) await givenBackTo(manifest, targets, { profile, token, machines, report })
      const behind = targetsBehind(manifest, new Set(targets.map(({ name }) => name)), before)
      if (behind.length === 0) await record(confirm)
      else report(say('generation-not-recorded', { targets: behind }))
    }),
  )
}

interface Recording {
  readonly place: DeploymentPlace
  readonly deployed: Deployed
  /** Throws if the lock was lost. */
  readonly confirm: () => Promise<void>
}

/** Records on the coordinator that a manifest is deployed, and that no run is under way any more. */
async function recordHere(
  { place, deployed, confirm }: Recording,
  { args, report, ...run }: StepContext<SetOptions>,
): Promise<void> {
  const { manifest } = deployed
  const { generation, coordinatorProfile } = args
  const store = await openStore(manifest.store, run)
  await confirm()
  if (coordinatorProfile) {
    const { kind, number } =
      generation === undefined
        ? await recordGeneration(place, deployed, store)
        : await returnToGeneration(place, { number: generation, manifest }, store)
    report(say(`generation-${kind}`, { generation: number }))
  }
  await endWanted(place, store)
}

function originOf({ environment, privileged }: Pick<Run, 'environment' | 'privileged'>): Origin {
  const { user, host } = processIdentity()
  const { SUDO_USER: sudoUser } = environment
  return { time: new Date(), user, host, ...(privileged && sudoUser ? { sudoUser } : {}) }
}
