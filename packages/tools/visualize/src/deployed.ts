import { currentGeneration, nothingDeployed } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { deploymentOf } from '@davit/tool'

import type { Titled } from './change-between.ts'

/** Reads what was deployed last; loaded only if no manifest is given. */
export async function deployed(context: Parameters<typeof deploymentOf>[0]): Promise<Titled> {
  const { profile, place } = deploymentOf(context)
  const generation = await currentGeneration(place)
  if (generation !== undefined) {
    return { manifest: generation.manifest, title: `${profile}, generation ${generation.number}` }
  }
  throw new DavitError('no-deployment', `nothing is deployed as '${profile}'`, {
    hint: `${await nothingDeployed(place)}; otherwise name a manifest`,
  })
}
