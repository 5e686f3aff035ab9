import { currentGeneration, type DeploymentPlace } from '@davit/coordinator-state'
import { Manifest } from '@davit/documents'
import type { ToolContext } from '@davit/tool'

interface Arguments {
  readonly oldManifest: string | undefined
}

/** What is deployed: the manifest that is named, or that of the current generation; before the first one, nothing. */
export async function currentManifest(
  next: Manifest,
  context: ToolContext<Arguments>,
  place: DeploymentPlace,
): Promise<Manifest> {
  const { oldManifest } = context.args
  if (oldManifest === undefined) {
    const generation = await currentGeneration(place)
    return generation?.manifest ?? nothingIn(next)
  }
  return (await context.readDocument(Manifest, oldManifest)).value
}

function nothingIn({ store }: Manifest): Manifest {
  return {
    profiles: new Map(),
    services: new Map(),
    infrastructure: new Map(),
    serviceMappings: [],
    snapshotMappings: [],
    store,
  }
}
