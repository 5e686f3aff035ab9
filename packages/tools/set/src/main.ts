import { givenBackTo, refuseOtherStore } from '@davit/adoption'
import { currentGeneration, endWanted, type Origin } from '@davit/coordinator-state'
import { withLock } from '@davit/deployment-lock'
import { Manifest } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { openStore } from '@davit/store'
import { checkModulesHere } from '@davit/target'
import { defineTool, deploymentOf, refuseMore, type ToolContext, withDeployment } from '@davit/tool'
import { description } from './description.ts'
import { madeFromFor } from './made-from.ts'
import { say } from './messages.ts'
import { checkGeneration, recordGeneration, returnToGeneration } from './record-generation.ts'
import { setProfiles } from './set-profiles.ts'
import { targetsBehind } from './targets-behind.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readDocument, report } = context
    const { profile, place } = deploymentOf(context)
    const { value: manifest, text } = await readDocument(Manifest, args.manifest)
    await checkModulesHere(manifest)
    const { generation } = args
    if (args.originalProfile) refuseOtherStore(manifest.store)
    if (generation !== undefined) await checkGeneration(place, generation, manifest)
    const madeFrom = await madeFromFor(context, { place, manifest, text })
    const record = async (confirm: () => Promise<void>) => {
      const store = await openStore(manifest.store, context)
      await confirm()
      if (!args.coordinatorProfile) return endWanted(place, store)
      const { kind, number } =
        generation === undefined
          ? await recordGeneration(place, { manifest, text, madeFrom, origin: originOf(context) }, store)
          : await returnToGeneration(place, { number: generation, manifest }, store)
      report(say(`generation-${kind}`, { generation: number }))
      await endWanted(place, store)
    }
    if (!args.targetProfiles) {
      context.journal({ profile, manifest: text }, 'change')
      await record(async () => {})
    } else {
      const run = { manifest, text, purpose: 'change', trust: 'everything' } as const
      await withDeployment(context, run, async ({ targets, selection, lockUse, adoptionMachines: machines }) =>
        withLock(targets, lockUse, async ({ token, confirm }) => {
          const before = (await currentGeneration(place))?.manifest
          refuseMore(manifest, before, selection)
          const generations = generation === undefined ? 'add' : 'reuse'
          await setProfiles(manifest, targets, { token, profile, report, generations })
          if (args.originalProfile) await givenBackTo(manifest, targets, { profile, token, machines, report })
          const behind = targetsBehind(manifest, new Set(targets.map(({ name }) => name)), before)
          if (behind.length === 0) await record(confirm)
          else report(say('generation-not-recorded', { targets: behind }))
        }),
      )
    }
    await print(text)
  },
})

function originOf({ environment, privileged }: Pick<ToolContext<unknown>, 'environment' | 'privileged'>): Origin {
  const { user, host } = processIdentity()
  const { SUDO_USER: sudoUser } = environment
  return { time: new Date(), user, host, ...(privileged && sudoUser ? { sudoUser } : {}) }
}
