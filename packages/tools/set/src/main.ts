import { currentGeneration, type Origin } from '@davit/coordinator-state'
import { withLock } from '@davit/deployment-lock'
import { Manifest } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { openStore } from '@davit/store'
import {
  connectionEnvironment,
  defineTool,
  deploymentOf,
  lockOptions,
  profileOptions,
  skipOptions,
  stateEnvironment,
  withDeployment,
} from '@davit/tool'
import { say } from './messages.ts'
import { checkGeneration, recordGeneration, returnToGeneration } from './record-generation.ts'
import { setProfiles } from './set-profiles.ts'
import { targetsBehind } from './targets-behind.ts'

export const tool = defineTool({
  name: 'davit-set',
  summary: 'Record a manifest as what is deployed',
  description: [
    'Sets the profile of each target, then adds a generation on the coordinator. If nothing changed, no generation is added.',
    'With --generation no generation is added: the given one becomes current again, and so do the generations of the targets that have its profiles.',
    'Prints the manifest unchanged.',
  ],
  examples: [
    { command: 'davit-set manifest.xml', describe: 'record what davit-activate has activated' },
    { command: 'davit-set --generation 3 manifest.xml', describe: 'return to a generation, with its manifest' },
  ],
  operands: { manifest: 'manifest that was activated' },
  options: {
    ...profileOptions,
    ...lockOptions,
    ...skipOptions,
    generation: {
      type: 'integer',
      value: 'N',
      minimum: 1,
      describe: 'return to this generation instead of adding one; the manifest must be that of the generation',
    },
    'coordinator-profile': { type: 'boolean', default: true, describe: 'add a generation on the coordinator' },
    'target-profiles': { type: 'boolean', default: true, describe: 'set the profiles of the targets' },
  },
  exitStatus: {
    1: 'a profile could not be set, or the generation does not exist',
    75: 'somebody else holds the lock, or took it in the meantime; no generation was recorded',
  },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-activate(1)', 'davit-generations(1)', 'davit-unlock(1)'],
  interrupted: {
    once: 'the same command sets what is still missing',
    twice: 'targets and coordinator may not agree yet on what is deployed; the same command sets what is missing',
  },
  async run(context) {
    const { args, print, readDocument, report } = context
    const { profile, place } = deploymentOf(context)
    const { value: manifest, text } = await readDocument(Manifest, args.manifest)
    const { generation } = args
    if (generation !== undefined) await checkGeneration(place, generation, manifest)
    const record = async (confirm: () => Promise<void>) => {
      if (!args.coordinatorProfile) return
      const store = await openStore(manifest.store, context)
      await confirm()
      const { kind, number } =
        generation === undefined
          ? await recordGeneration(place, { manifest, text, origin: originOf(new Date()) }, store)
          : await returnToGeneration(place, { number: generation, manifest }, store)
      report(say(`generation-${kind}`, { generation: number }))
    }
    if (!args.targetProfiles) {
      context.journal({ profile, manifest: text }, 'change')
      await record(async () => {})
    } else {
      await withDeployment(context, { manifest, text, purpose: 'change' }, async ({ targets, lockUse }) =>
        withLock(targets, lockUse, async ({ token, confirm }) => {
          const generations = generation === undefined ? 'add' : 'reuse'
          await setProfiles(manifest, targets, { token, profile, report, generations })
          const reachedNames = new Set(targets.map(({ name }) => name))
          const behind = targetsBehind(manifest, reachedNames, (await currentGeneration(place))?.manifest)
          if (behind.length === 0) await record(confirm)
          else report(say('generation-not-recorded', { targets: behind }))
        }),
      )
    }
    await print(text)
  },
})

function originOf(time: Date): Origin {
  const { user, host } = processIdentity()
  return { time, user, host }
}
