import { currentGeneration, nothingDeployed } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { type Infrastructure, Manifest, statedDocument } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { currentSystem } from '@davit/store'
import { deploymentOf, type ToolContext, usageError } from '@davit/tool'

interface Arguments {
  readonly profile: string
  readonly source: string | undefined
  readonly deployed: boolean
  readonly interface: string
  readonly targetProperty: string
}

/** The targets to ask. */
export interface Source {
  readonly infrastructure: Infrastructure
  /** What should be there, if a manifest tells. */
  readonly expected: Manifest | undefined
}

/** Reads an infrastructure model or a manifest, or takes what was deployed last. */
export async function sourceOf(context: ToolContext<Arguments>): Promise<Source> {
  const { source, deployed } = context.args
  if (source !== undefined && deployed)
    throw usageError(`'${source}' and --deployed cannot be combined`, 'omit one of them')
  const expected = source === undefined ? await deployedManifest(context) : await manifestIn(source, context)
  if (expected !== undefined) return { infrastructure: expected.infrastructure, expected }
  return { infrastructure: await infrastructureIn(source ?? '', context), expected: undefined }
}

async function deployedManifest(context: ToolContext<Arguments>): Promise<Manifest> {
  const { profile, place } = deploymentOf(context)
  const generation = await currentGeneration(place)
  if (generation !== undefined) return generation.manifest
  throw new DavitError('no-deployment', `nothing is deployed as '${profile}'`, {
    hint: `${await nothingDeployed(place)}; otherwise name an infrastructure model`,
  })
}

/** Reads a manifest; undefined if the file is something else. */
async function manifestIn(source: string, context: ToolContext<Arguments>): Promise<Manifest | undefined> {
  const isManifest = source === '-' || (await isDocument(source, context))
  return isManifest ? (await context.readDocument(Manifest, source)).value : undefined
}

async function isDocument(file: string, { readInput }: ToolContext<Arguments>): Promise<boolean> {
  if (!/\.(?:xml|json)$/.test(file)) return false
  return statedDocument((await readInput(file)).text) === Manifest.name
}

function infrastructureIn(file: string, context: ToolContext<Arguments>): Promise<Infrastructure> {
  const { environment, report, signal, args } = context
  const { interface: clientInterface, targetProperty } = args
  const system = currentSystem(environment)
  return loadInfrastructure(file, { environment, report, signal, system, clientInterface, targetProperty })
}
