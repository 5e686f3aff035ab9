import type { DeploymentPlace } from '@davit/coordinator-state'
import { headOfXml, Infrastructure, Manifest, parseDocument } from '@davit/documents'
import { type ToolContext, usageError } from '@davit/tool'

import { findManifest, readManifest } from './read-manifest.ts'

interface Arguments {
  readonly document: string | undefined
  readonly deployed: boolean
  readonly profile: string
  readonly where: 'targets' | 'coordinator' | 'both'
}

export interface StoresToClean {
  readonly infrastructure: Infrastructure
  /** Undefined if all components are concerned. */
  readonly manifest: Manifest | undefined
}

/** Reads the targets from a manifest or an infrastructure, or from what was deployed last. */
export async function readInfrastructure(
  { args, readInput, readDocument }: ToolContext<Arguments>,
  place: DeploymentPlace,
): Promise<StoresToClean> {
  if (args.document === undefined) {
    const read = args.where === 'coordinator' ? findManifest : readManifest
    const manifest = (await read({ args: { ...args, manifest: undefined }, readDocument }, place))?.manifest
    return { infrastructure: manifest?.infrastructure ?? new Map(), manifest }
  }
  if (args.deployed) throw usageError('a document and --deployed cannot be combined', 'omit one of them')
  const { text, file } = await readInput(args.document)
  if (isInfrastructure(text))
    return { infrastructure: parseDocument(Infrastructure, text, { file }), manifest: undefined }
  const manifest = parseDocument(Manifest, text, { file })
  return { infrastructure: manifest.infrastructure, manifest }
}

/** Whether a document says that it is an infrastructure; if it is neither, it is read as a manifest, and refused. */
export function isInfrastructure(text: string): boolean {
  if (/^\s*</.test(text)) return headOfXml(text).name === 'infrastructure'
  try {
    const value = JSON.parse(text) as { readonly document?: unknown } | null
    return value?.document === 'infrastructure'
  } catch {
    return false
  }
}
