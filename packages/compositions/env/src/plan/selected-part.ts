import { Manifest, parseDocument } from '@davit/documents'

import { select } from '../tools.ts'
import { wordsOf } from '../words.ts'
import type { PlanContext } from './plan.ts'

/** The part of a manifest to plan for, with what is selected in words without patterns. */
export type PlannedPart = { readonly value: Manifest; readonly on: readonly string[] } | { readonly failed: number }

/** Limits a manifest to what `--on` selects, as davit-env does. */
export async function selectedPart(
  whole: { readonly value: Manifest; readonly text: string },
  { args, runSteps }: PlanContext,
): Promise<PlannedPart> {
  if (args.on.length === 0) return { value: whole.value, on: [] }
  const words = wordsOf({ on: args.on, oldManifest: args.from })
  let [text, list] = ['', '']
  const failed = await runSteps({ DAVIT_PROFILE: args.profile, DAVIT_ON: '' }, async (steps) => {
    list = await steps.run(select, ['--list', ...words], whole.text)
    text = await steps.run(select, words, whole.text)
  })
  if (failed !== 0) return { failed }
  return { value: parseDocument(Manifest, text, { file: 'the part' }), on: list.trimEnd().split('\n') }
}
