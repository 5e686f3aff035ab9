import { currentGeneration, type DeploymentPlace, nothingDeployed } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { encodeDocument, Manifest } from '@davit/documents'
import { type ToolContext, usageError } from '@davit/tool'

export interface ManifestArguments {
  readonly deployed: boolean
  readonly manifest: string | undefined
  readonly profile: string
}

export interface ManifestToUse {
  readonly manifest: Manifest
  readonly text: string
  /** Whether it was given, so that it is printed at the end. */
  readonly isGiven: boolean
}

type ManifestContext = Pick<ToolContext<ManifestArguments>, 'args' | 'readDocument'>

/** Reads the manifest that is given, or the one that was deployed last. */
export async function readManifest(context: ManifestContext, place: DeploymentPlace): Promise<ManifestToUse> {
  const found = await findManifest(context, place)
  if (found !== undefined) return found
  throw new DavitError('no-deployment', `nothing is deployed as '${context.args.profile}'`, {
    hint: `${await nothingDeployed(place)}; otherwise pass a manifest`,
  })
}

/** The same, or undefined if nothing is deployed. */
export async function findManifest(
  { args, readDocument }: ManifestContext,
  place: DeploymentPlace,
): Promise<ManifestToUse | undefined> {
  if (args.manifest === undefined) return deployedManifest(place)
  if (args.deployed) throw usageError('a manifest and --deployed cannot be combined', 'omit one of them')
  const { value: manifest, text } = await readDocument(Manifest, args.manifest)
  return { manifest, text, isGiven: true }
}

async function deployedManifest(place: DeploymentPlace): Promise<ManifestToUse | undefined> {
  const generation = await currentGeneration(place)
  if (generation === undefined) return undefined
  const { manifest } = generation
  return { manifest, text: encodeDocument(Manifest, manifest, 'json'), isGiven: false }
}
