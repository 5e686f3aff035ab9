import { resolve } from 'node:path'

import { Manifest, type PlanDocument } from '@davit/documents'
import { writeFileAtomic } from '@davit/files'
import { type ArgumentsOf, defineTool, type ToolContext, trustToLook } from '@davit/tool'

import { type GivenManifest, makeManifest } from '../make-manifest.ts'
import { privateDirectories } from '../private-directories.ts'
import { profileOfOrder } from '../profile-of-order.ts'
import { partOf } from '../selected.ts'
import { checkPlanOrder } from './check-plan-order.ts'
import { planDescription } from './description.ts'

type Given = ArgumentsOf<typeof planDescription.options, typeof planDescription.operands>

export type PlanContext = ToolContext<Omit<Given, 'profile'> & { readonly profile: string }>

export const plan = defineTool({
  ...planDescription,
  async run(given) {
    const from = checkPlanOrder(given.args)
    const context = { ...given, args: { ...given.args, profile: await profileOfOrder(given.args, given) } }
    const { args, print, workingDirectory, readDocument } = context
    const read = from === 'manifest' ? await readDocument(Manifest, args.manifest) : undefined
    const old = args.from === undefined ? undefined : (await readDocument(Manifest, args.from)).value
    const made = await wantedManifest(read, old, context)
    if ('failed' in made) return made.failed
    const document = await planTo(made.next.value, old, { ...context, args: { ...args, on: made.on } })
    const { encodePlan, isNothing } = await import('@davit/review')
    if (args.out !== undefined) await writeFileAtomic(resolve(workingDirectory, args.out), encodePlan(document))
    await print(await rendered(document, context))
    return isNothing(document) ? 0 : 2
  },
})

type WantedManifest = { readonly next: GivenManifest; readonly on: readonly string[] } | { readonly failed: number }

/** The manifest to reach, as davit-env makes it, and what of it; if a step fails, which has said why, its status. */
async function wantedManifest(
  given: GivenManifest | undefined,
  old: Manifest | undefined,
  context: PlanContext,
): Promise<WantedManifest> {
  const { args, environment, readInput, runSteps } = context
  if (given !== undefined && args.on.length === 0) return { next: given, on: [] }
  const directories = privateDirectories(environment['TMPDIR'] || '/tmp', args.profile)
  let wanted: WantedManifest | undefined
  const failed = await runSteps(async (steps) => {
    const trust = await trustToLook(context)
    const next = given ?? (await makeManifest(args, { steps, directories, readInput, trust }))
    wanted = (await partOf(next, { ...args, old }, steps)) ?? { next, on: [] }
  })
  return wanted ?? { failed }
}

/** What is needed to plan is loaded once there is something to plan. */
async function planTo(next: Manifest, from: Manifest | undefined, context: PlanContext): Promise<PlanDocument> {
  if (from === undefined) return (await import('./plan-against-targets.ts')).planAgainstTargets(next, context)
  return (await import('./plan-against-manifest.ts')).planAgainstManifest(from, next, context)
}

async function rendered(document: PlanDocument, context: PlanContext): Promise<string> {
  const { changedPackages, encodePlan, renderMarkdown, renderText } = await import('@davit/review')
  const { args, columns, colours = false } = context
  const { by, fold } = args
  const files = args.files
    ? await (await import('./changed-files.ts')).changedFiles(changedPackages(document), context)
    : undefined
  switch (args.format) {
    case 'json':
      return encodePlan(document)
    case 'markdown':
      return renderMarkdown(document, { by, fold, files })
    case 'text':
      return renderText(document, { by, fold, files, columns, colours })
  }
}
