import { compareManifests, encodeDifference, hasDifferences, renderDifference } from '@davit/comparison'
import { currentGeneration, nothingDeployed } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { Manifest } from '@davit/documents'
import { defineTool, deploymentOf, type ToolContext, usageError } from '@davit/tool'

import { description } from './description.ts'
import { say } from './messages.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    const [before, after] = await sidesOf(context)
    const difference = compareManifests(before.manifest, after.manifest)
    const between = { from: before.name, to: after.name }
    await print(args.format === 'json' ? encodeDifference(difference, between) : renderDifference(difference))
    if (hasDifferences(difference)) return 1
    report(say('equal-manifests', { from: nameOf(before), to: nameOf(after) }))
    return 0
  },
})

interface Side {
  readonly manifest: Manifest
  /** Name of the file, or number of the generation. */
  readonly name: string | number
}

interface Arguments {
  readonly profile: string
  readonly manifest: string | undefined
  readonly other: string | undefined
}

async function sidesOf(context: ToolContext<Arguments>): Promise<readonly [before: Side, after: Side]> {
  const { manifest, other } = context.args
  if (manifest === '-' && other === '-') throw usageError("only one manifest can be '-'", 'name a file for the other')
  const first = await sideIn(manifest, context)
  return other === undefined ? [await deployed(context), first] : [first, await sideIn(other, context)]
}

async function sideIn(operand: string | undefined, { readDocument }: ToolContext<Arguments>): Promise<Side> {
  const { value, file } = await readDocument(Manifest, operand)
  return { manifest: value, name: file }
}

async function deployed(context: ToolContext<Arguments>): Promise<Side> {
  const { profile, place } = deploymentOf(context)
  const generation = await currentGeneration(place)
  if (generation !== undefined) return { manifest: generation.manifest, name: generation.number }
  throw new DavitError('no-deployment', `nothing is deployed as '${profile}'`, {
    hint: `${await nothingDeployed(place)}; otherwise name two manifests`,
  })
}

function nameOf({ name }: Side): string {
  return typeof name === 'number' ? `generation ${name}` : `'${name}'`
}
