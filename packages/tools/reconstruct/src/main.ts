import { addGeneration, currentGeneration, type DeploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, type Infrastructure, Manifest } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { processIdentity } from '@davit/process'
import { reconstructManifest } from '@davit/reconstruction'
import { isSameDeployment } from '@davit/recovery'
import { currentSystem } from '@davit/store'
import { defineTool, deploymentOf, type ToolContext, withTargets } from '@davit/tool'

import { description } from './description.ts'
import { say } from './messages.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    const { profile, place } = deploymentOf(context)
    const infrastructure = await infrastructureOf(context)
    const manifest = await withTargets(infrastructure, { ...context, role: 'deploy', manifests: [] }, (reached) =>
      reconstructManifest(reached, { ...context, ...args, infrastructure, profile }),
    )
    const text = encodeDocument(Manifest, manifest, args.format)
    if (args.set) {
      context.journal({ profile, manifest: text }, 'change')
      const { kind, number } = await recover(place, manifest, context)
      report(say(kind === 'added' ? 'generation-recovered' : 'generation-confirmed', { generation: number }))
    }
    await print(text)
  },
})

interface Models {
  readonly infrastructure: string
  readonly interface: string
  readonly targetProperty: string
}

function infrastructureOf({ args, ...context }: ToolContext<Models>): Promise<Infrastructure> {
  return loadInfrastructure(args.infrastructure, {
    ...context,
    system: currentSystem(context.environment),
    clientInterface: args.interface,
    targetProperty: args.targetProperty,
  })
}

/** Adds a generation, unless the current one says the same. */
async function recover(
  place: DeploymentPlace,
  manifest: Manifest,
  { args, workingDirectory: directory }: ToolContext<Models>,
) {
  const current = await currentGeneration(place)
  if (current !== undefined && isSameDeployment(current.manifest, manifest)) {
    return { kind: 'unchanged', number: current.number } as const
  }
  const { user, host } = processIdentity()
  // As davit-env records it.
  const text = encodeDocument(Manifest, manifest, 'json')
  const time = new Date()
  const options = { infrastructure: args.infrastructure }
  const madeFrom = { order: { tool: description.name, began: time.toISOString(), directory, options } }
  return addGeneration(place, { manifest, text, origin: { time, user, host }, madeFrom })
}
