import { Manifest, parseDocument } from '@davit/documents'
import { trustToLook } from '@davit/tool'

import { modelSource } from '../model-source.ts'
import { privateDirectories } from '../private-directories.ts'
import { delegateBuild, manifest, normalize } from '../tools.ts'
import { variablesOfModels, wordsOf } from '../words.ts'
import { refuseStrangeBuilders } from '../strange-builders.ts'
import type { PlanContext } from './plan.ts'

/** A manifest, or the status of the step that has failed to make it. */
export type MadeManifest = { readonly value: Manifest; readonly text: string } | { readonly failed: number }

/** Makes the manifest as davit-env does; if a step fails, which has said why, returns its status. */
export async function manifestOfModels(context: PlanContext): Promise<MadeManifest> {
  const { args, environment, readInput, runSteps } = context
  const directories = privateDirectories(environment['TMPDIR'] || '/tmp', args.profile)
  const { deployment, maxJobs, modules, trustBuilds } = args
  let text = ''
  const failed = await runSteps({ ...variablesOfModels(args), DAVIT_PROFILE: args.profile }, async (steps) => {
    if (deployment !== undefined) {
      text = await steps.run(manifest, wordsOf({ format: 'json', deployment, modules }))
      return
    }
    const architecture = await directories.use(async (TMPDIR) => {
      const aside = steps.with({ TMPDIR })
      const { words, input } = await modelSource(args, { steps: aside, directory: TMPDIR, readInput })
      return aside.run(normalize, words, input)
    })
    if (args.buildOnTargets) {
      refuseStrangeBuilders(architecture, await trustToLook(context))
      await steps.run(delegateBuild, wordsOf({ trustBuilds }), architecture)
    }
    text = await steps.run(manifest, wordsOf({ format: 'json', maxJobs, modules, trustBuilds }), architecture)
  })
  return failed === 0 ? { value: parseDocument(Manifest, text, { file: 'the models' }), text } : { failed }
}
