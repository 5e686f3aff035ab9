import { isSameDeployment } from '@davit/comparison'
import { currentGeneration } from '@davit/coordinator-state'
import { nameLines } from '@davit/diagnostics'
import { encodeDocument, Manifest } from '@davit/documents'
import { withPartProfiles } from '@davit/realisation'
import { isSelected, namesFor, partError, partOf, type Selection, simpleTerms, termsOf } from '@davit/selection'
import { openStore } from '@davit/store'
import { defineTool, deploymentOf, type DocumentInput, selectionIn, type ToolContext, usageError } from '@davit/tool'

import { currentManifest } from './current-manifest.ts'
import { description } from './description.ts'
import { refuseUnfinished } from './refuse-unfinished.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    const { place } = deploymentOf(context)
    if (args.listNames !== undefined)
      return print(nameLines(namesIn(args.listNames, (await currentGeneration(place))?.manifest)))
    refuseUnusable(args)
    const given = await context.readDocument(Manifest, args.manifest)
    const current = await currentManifest(given.value, context, place)
    const selection = selectionIn([given.value, current], args.on)
    if (selection === undefined) return
    if (args.list) return print(nameLines(termsOf(selection)))
    if (args.oldManifest === undefined) await refuseUnfinished(place, { current, selection })
    const part = await partIn({ next: given.value, current, selection }, context)
    await print(textOf(part, given, args.format))
  },
})

function namesIn(kind: 'selections' | 'services' | 'targets', manifest: Manifest | undefined): readonly string[] {
  const manifests = manifest === undefined ? [] : [manifest]
  if (kind === 'selections') return simpleTerms(manifests)
  return [...namesFor(kind === 'services' ? 'service' : 'target', manifests)].toSorted()
}

interface Arguments {
  readonly on: readonly string[]
  readonly manifest: string | undefined
  readonly oldManifest: string | undefined
}

function refuseUnusable({ on, manifest = '-', oldManifest }: Arguments): void {
  if (on.length === 0) throw usageError('nothing is selected', 'say what with --on')
  if (manifest === '-' && oldManifest === '-')
    throw usageError("only one manifest can be '-'", 'name a file for the other')
}

interface Change {
  readonly next: Manifest
  readonly current: Manifest
  readonly selection: Selection
}

async function partIn(change: Change, context: ToolContext<unknown>): Promise<Manifest> {
  const { next, current, selection } = change
  const outcome = partOf(change)
  if (outcome.kind === 'refused') throw partError({ ...outcome, selection, manifests: [next, current] })
  const part = await withPartProfiles(outcome.manifest, outcome.mixed, {
    next,
    current,
    isSelected: (instance) => isSelected(selection, instance),
    openStore: () => openStore(next.store, context),
  })
  return isSameDeployment(part, next) ? next : part
}

/** The text as given, if it says the same in the wanted format. */
function textOf(part: Manifest, { value, text }: DocumentInput<Manifest>, format: 'xml' | 'json' | undefined): string {
  const given = text.trimStart().startsWith('<') ? 'xml' : 'json'
  return part === value && (format ?? given) === given ? text : encodeDocument(Manifest, part, format ?? given)
}
