import { currentGeneration } from '@davit/coordinator-state'
import { nameLines } from '@davit/diagnostics'
import { Manifest } from '@davit/documents'
import { namesFor, simpleTerms } from '@davit/selection'
import { defineTool, deploymentOf, usageError } from '@davit/tool'

import { description } from './description.ts'
import { selectPart } from './select-part.ts'

export { description } from './description.ts'
export { selectPart } from './select-part.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, readDocument } = context
    const { place } = deploymentOf(context)
    if (args.listNames !== undefined)
      return print(nameLines(namesIn(args.listNames, (await currentGeneration(place))?.manifest)))
    refuseUnusable(args)
    const given = await readDocument(Manifest, args.manifest)
    const { oldManifest } = args
    const old = oldManifest === undefined ? undefined : (await readDocument(Manifest, oldManifest)).value
    const selected = await selectPart(given, { ...args, old }, context)
    if (selected === undefined) return
    await print(args.list ? nameLines(selected.terms) : (await selected.part()).text)
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
