import { Manifest } from '@davit/documents'
import { defineTool, handOn, readOrigin } from '@davit/tool'

import { activate, checkTransition, renderTransition } from './activate.ts'
import { description } from './description.ts'
import { giveUp } from './give-up.ts'
import { asPlanned, readPlan, readPlanned } from './planned.ts'

export { activate, type ActivateOptions, checkTransition, type Goal, renderTransition } from './activate.ts'
export { description } from './description.ts'
export { giveUp } from './give-up.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readDocument } = context
    const plan = await readPlan(context)
    const { abandon, check, dryRun, manifest, oldManifest, origin: _, ...options } = asPlanned(args, plan)
    if (abandon.length > 0) {
      const given = manifest === undefined ? undefined : await readDocument(Manifest, manifest)
      return giveUp(given, { ...options, abandon, dryRun }, context)
    }
    const next = await readPlanned(context, plan)
    const old = oldManifest === undefined ? undefined : (await readDocument(Manifest, oldManifest)).value
    const goal = { next, old, plan }
    if (check) return print(`${await checkTransition(goal, options, context)}\n`)
    if (dryRun) return print(await renderTransition(goal, options, context))
    const transition = await activate({ ...goal, madeFrom: await readOrigin(context) }, options, context)
    await handOn(context, () => ({ transition }))
    await print(next.text)
  },
})
