import { resolve } from 'node:path'

import { Manifest, type PlanDocument } from '@davit/documents'
import { writeFileAtomic } from '@davit/files'
import { type ArgumentsOf, defineTool, type ToolContext } from '@davit/tool'

import { checkPlanOrder } from './check-plan-order.ts'
import { planDescription } from './description.ts'
import { profileOfOrder } from '../profile-of-order.ts'
import { manifestOfModels } from './manifest-of-models.ts'
import { selectedPart } from './selected-part.ts'

type Given = ArgumentsOf<typeof planDescription.options, typeof planDescription.operands>

export type PlanContext = ToolContext<Omit<Given, 'profile'> & { readonly profile: string }>

export const plan = defineTool({
  ...planDescription,
  async run(given) {
    const from = checkPlanOrder(given.args)
    const context = { ...given, args: { ...given.args, profile: await profileOfOrder(given.args, given) } }
    const { args, print, workingDirectory, readDocument } = context
    const made = from === 'manifest' ? await readDocument(Manifest, args.manifest) : await manifestOfModels(context)
    if ('failed' in made) return made.failed
    const part = await selectedPart(made, context)
    if ('failed' in part) return part.failed
    const document = await planTo(part.value, { ...context, args: { ...args, on: part.on } })
    const { encodePlan, isNothing } = await import('@davit/review')
    if (args.out !== undefined) await writeFileAtomic(resolve(workingDirectory, args.out), encodePlan(document))
    await print(await rendered(document, context))
    return isNothing(document) ? 0 : 2
  },
})

/** What is needed to plan is loaded once there is something to plan. */
async function planTo(next: Manifest, context: PlanContext): Promise<PlanDocument> {
  const { from } = context.args
  if (from === undefined) return (await import('./plan-against-targets.ts')).planAgainstTargets(next, context)
  const { value } = await context.readDocument(Manifest, from)
  return (await import('./plan-against-manifest.ts')).planAgainstManifest(value, next, context)
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
