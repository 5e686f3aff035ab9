import { type Inventory, isDrifted, takeInventory } from '@davit/inventory'
import { loadInfrastructure } from '@davit/models'
import {
  callable,
  defineTool,
  deploymentOf,
  onSelectedTargets,
  targetSource,
  trustedManifests,
  trustToLook,
  usageError,
  withTargets,
} from '@davit/tool'

import { description } from './description.ts'
import { RENDERERS } from './renderers.ts'
import { watch } from './watch.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print } = context
    const format = formatIn(args)
    const { profile } = deploymentOf(context)
    const source = await targetSource(context, loadInfrastructure)
    const manifests = trustedManifests(source)
    const trust = await trustToLook(context)
    const infrastructure = await onSelectedTargets(source, context)
    return withTargets(infrastructure, { ...context, role: 'query', manifests, trust }, async (reached) => {
      const terms = { profile, status: args.status, mayCall: callable(trust) }
      const look = () => takeInventory(reached, { ...context, ...source, ...terms })
      const render = (inventory: Inventory) => RENDERERS[format](inventory, context)
      if (args.watch) return watch(async () => render(await look()), context)
      const inventory = await look()
      await print(render(inventory))
      return statusOf(inventory)
    })
  },
})

interface FormatArguments {
  readonly format: keyof typeof RENDERERS | undefined
  readonly status: boolean
  readonly watch: boolean
}

function formatIn({ format, status, watch: isWatched }: FormatArguments): keyof typeof RENDERERS {
  if (status && (format === 'xml' || format === 'nix'))
    throw usageError(`the format ${format} has no place for what --status finds`, 'take json, or omit --status')
  return format ?? (status || isWatched ? 'table' : 'services')
}

/** A target that cannot be asked weighs more than one that is not as it should be. */
function statusOf(inventory: Inventory): number {
  const failures = inventory.targets.flatMap(({ error }) => error?.exitStatus ?? [])
  return Math.max(isDrifted(inventory) ? 2 : 0, ...failures)
}
