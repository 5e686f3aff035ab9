import { compareManifests, encodeDifference, hasDifferences, renderDifference } from '@davit/comparison'
import { currentNumber, type DeploymentPlace, nothingDeployed, readGeneration } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { type ToolContext, usageError } from '@davit/tool'

import { say } from './messages.ts'

interface Arguments {
  readonly format: 'text' | 'json'
  /** Number of the other generation; the current one without it. */
  readonly generation: string | undefined
}

/** Prints what differs between a generation and another one. */
export async function diff(
  place: DeploymentPlace,
  from: number,
  { args, print, report }: ToolContext<Arguments>,
): Promise<void> {
  const to = args.generation === undefined ? await current(place) : numberIn(args.generation)
  const [before, after] = [await readGeneration(place, from), await readGeneration(place, to)]
  const difference = compareManifests(before.manifest, after.manifest)
  if (!hasDifferences(difference)) report(say('no-difference', { from, to }))
  return print(args.format === 'json' ? encodeDifference(difference, { from, to }) : renderDifference(difference))
}

async function current(place: DeploymentPlace): Promise<number> {
  const number = await currentNumber(place)
  if (number !== undefined) return number
  throw new DavitError('no-generation', 'there is no current generation', { hint: await nothingDeployed(place) })
}

function numberIn(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw usageError(`'${text}' is not the number of a generation`, "'davit-generations' lists the generations")
}
