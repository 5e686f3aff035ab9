import { currentGeneration, nothingDeployed } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { type Infrastructure, Manifest, statedDocument } from '@davit/documents'

import { loadNamed, type LoadInfrastructure } from './infrastructure-of.ts'
import { manifestOfTargets } from './selection-for.ts'
import type { ToolContext } from './tool-context.ts'
import { usageError } from './usage-error.ts'
import { deploymentOf } from './deployment-of.ts'

export interface SourceArguments {
  readonly profile: string
  /** File with an infrastructure model or a manifest. */
  readonly source: string | undefined
  readonly deployed: boolean
  readonly interface: string
  readonly targetProperty: string
}

/** The targets to ask. */
export interface TargetSource {
  readonly infrastructure: Infrastructure
  /** What should be there, if a manifest tells. */
  readonly expected: Manifest | undefined
}

/** Reads an infrastructure model, with `load`, or a manifest, or else takes what was deployed last; undefined if nothing was. */
export async function findTargetSource(
  context: ToolContext<SourceArguments>,
  load: LoadInfrastructure,
): Promise<TargetSource | undefined> {
  const { source, deployed } = context.args
  if (source !== undefined && deployed)
    throw usageError(`'${source}' and --deployed cannot be combined`, 'omit one of them')
  if (source === undefined) {
    const generation = await currentGeneration(deploymentOf(context).place)
    return generation === undefined ? undefined : sourceIn(generation.manifest)
  }
  const manifest = await manifestIn(source, context)
  if (manifest !== undefined) return sourceIn(manifest)
  return { infrastructure: await loadNamed(source, context, load), expected: undefined }
}

/** The same for tools that cannot do without. */
export async function targetSource(
  context: ToolContext<SourceArguments>,
  load: LoadInfrastructure,
): Promise<TargetSource> {
  const source = await findTargetSource(context, load)
  if (source !== undefined) return source
  const { profile, place } = deploymentOf(context)
  throw new DavitError('no-deployment', `nothing is deployed as '${profile}'`, {
    hint: `${await nothingDeployed(place)}; otherwise name an infrastructure model`,
  })
}

function sourceIn(expected: Manifest): TargetSource {
  return { infrastructure: expected.infrastructure, expected }
}

/** The manifests whose secrets the targets may have. An infrastructure model that a person names is trusted as a manifest is. */
export function trustedManifests({ infrastructure, expected }: TargetSource): readonly Manifest[] {
  return [expected ?? manifestOfTargets(infrastructure)]
}

/** Reads a manifest; undefined if the file is something else. */
async function manifestIn(source: string, context: ToolContext<unknown>): Promise<Manifest | undefined> {
  const isManifest = source === '-' || (await isDocument(source, context))
  return isManifest ? (await context.readDocument(Manifest, source)).value : undefined
}

async function isDocument(file: string, { readInput }: ToolContext<unknown>): Promise<boolean> {
  if (!/\.(?:xml|json)$/.test(file)) return false
  return statedDocument((await readInput(file)).text) === Manifest.name
}
