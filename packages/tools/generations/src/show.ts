import { type DeploymentPlace, readMadeFrom } from '@davit/coordinator-state'
import { DavitError, type Report } from '@davit/diagnostics'
import type { MadeFrom, ModelFile } from '@davit/documents'
import type { ToolContext } from '@davit/tool'

import { encodeGeneration } from './encode-generations.ts'
import { findGeneration } from './list-generations.ts'
import { say } from './messages.ts'
import { renderGeneration } from './render-generation.ts'

interface Arguments {
  readonly profile: string
  readonly format: 'text' | 'json'
  readonly model: string | undefined
  readonly stack: boolean
}

/** Prints what is known about a generation, or one of its models, or its compiled stack. */
export async function show(
  place: DeploymentPlace,
  number: number,
  { args, print, report }: ToolContext<Arguments>,
): Promise<void> {
  const generation = await findGeneration(place, number)
  if (args.model !== undefined) return print(textOf(args.model, await readMadeFrom(place, number)))
  if (args.stack) return print(stackOf(await readMadeFrom(place, number)))
  const madeFrom = await madeFromOrWarning(place, number, report)
  return print(
    args.format === 'json'
      ? encodeGeneration(args.profile, generation, madeFrom)
      : renderGeneration(generation, madeFrom),
  )
}

/** Reads what a generation was made from; warns if that is damaged. */
export async function madeFromOrWarning(
  place: DeploymentPlace,
  number: number,
  report: Report,
): Promise<MadeFrom | undefined> {
  try {
    return await readMadeFrom(place, number)
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    report(say('made-from-unreadable', { generation: number, reason: error.message }))
    return undefined
  }
}

function stackOf(madeFrom: MadeFrom | undefined): string {
  if (madeFrom?.stack !== undefined) return madeFrom.stack
  throw new DavitError('no-model', 'the generation was not made from a stack, as far as is known', {
    hint: 'davit-generations --show N tells what it was made from',
  })
}

/** Text of a model, which any end of its path names: `services.nix` or `shop/services.nix`. */
function textOf(name: string, madeFrom: MadeFrom | undefined): string {
  const models = madeFrom?.models ?? []
  const [model, another] = models.filter(({ file }) => file === name || file.endsWith(`/${name}`))
  if (model === undefined) throw noModel(`the generation was not made from a model '${name}'`, models)
  if (another !== undefined) throw noModel(`several models are named '${name}'`, models)
  const { text } = model
  if (text === undefined)
    throw noModel(`only the checksum of '${model.file}' was kept: its models are too long`, models)
  return text
}

function noModel(message: string, models: readonly ModelFile[]): DavitError {
  const names = models.map(({ file }) => `'${file}'`).join(', ')
  const hint = models.length === 0 ? 'no models were kept with it' : `it was made from ${names}`
  return new DavitError('no-model', message, { hint })
}
