import { deploymentPlace } from '@davit/coordinator-state'
import { withLock } from '@davit/deployment-lock'
import { Manifest, parseProfileName } from '@davit/documents'
import { openStore } from '@davit/store'
import { allTargets } from '@davit/target'
import {
  connectionEnvironment,
  defineTool,
  lockOptions,
  profileOptions,
  stateDirectory,
  stateEnvironment,
  withTargets,
} from '@davit/tool'
import { recordGeneration } from './record-generation.ts'
import { setProfiles } from './set-profiles.ts'

export const tool = defineTool({
  name: 'davit-set',
  summary: 'Record a manifest as what is deployed',
  description: [
    'Sets the profile of each target, and then the generation of the coordinator. Where nothing changed no generation is added.',
    'Prints the manifest as it was read.',
  ],
  examples: [{ command: 'davit-set manifest.xml', describe: 'after davit-activate' }],
  operands: { manifest: 'manifest that was activated' },
  options: {
    ...profileOptions,
    ...lockOptions,
    'coordinator-profile': { type: 'boolean', default: true, describe: 'add a generation on the coordinator' },
    'target-profiles': { type: 'boolean', default: true, describe: 'set the profiles of the targets' },
  },
  exitStatus: { 1: 'a profile could not be set' },
  environment: { ...stateEnvironment, ...connectionEnvironment },
  seeAlso: ['davit-activate(1)', 'davit-unlock(1)'],
  async run(context) {
    const { args, print, readDocument, report } = context
    const profile = parseProfileName(args.profile)
    const { value: manifest, text } = await readDocument(Manifest, args.manifest)
    const place = deploymentPlace(stateDirectory(context), profile)
    const record = async () => {
      if (!args.coordinatorProfile) return
      const store = await openStore(manifest.store, context)
      const { kind, number } = await recordGeneration(place, { manifest, text }, store)
      const added = `generation ${number} on the coordinator`
      report({ kind: 'note', message: kind === 'added' ? added : 'the coordinator has this generation already' })
    }
    if (!args.targetProfiles) await record()
    else {
      await withTargets(manifest.infrastructure, context, async (reached) => {
        const targets = allTargets(reached)
        const locking = args.lock ? 'join-or-take' : 'none'
        await withLock(targets, { profile, leaseSeconds: args.lockLease, place, locking }, async ({ token }) => {
          await setProfiles(manifest, targets, { token, profile, report })
          await record()
        })
      })
    }
    await print(text)
  },
})
