import { type Adoption, type AdoptedTarget, adoptTargets, preparedAdoption, readAdoption } from '@davit/adoption'
import {
  addGeneration,
  currentGeneration,
  type DeploymentPlace,
  endWanted,
  generationAsFound,
  generationRoot,
} from '@davit/coordinator-state'
import { withLock } from '@davit/deployment-lock'
import { encodeDocument, Manifest } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { type LifecycleModule, modulesOf } from '@davit/modules'
import { processIdentity } from '@davit/process'
import { openStore, type Store } from '@davit/store'
import {
  defineTool,
  deploymentOf,
  givenOptions,
  infrastructureOf,
  type ToolContext,
  version,
  withDeployment,
  withTargets,
} from '@davit/tool'

import { description } from './description.ts'
import { say } from './messages.ts'
import { encodeAdoption, renderAdoption } from './render-adoption.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    const { profile, place } = deploymentOf(context)
    const infrastructure = await infrastructureOf(
      { ...context, args: { ...args, deployed: false } },
      loadInfrastructure,
    )
    const modules = await modulesOf(args.modules)
    const terms = { ...context, ...args, infrastructure, profile, modules }
    const found = await withTargets(infrastructure, { ...context, role: 'deploy', manifests: [] }, (reached) =>
      readAdoption(reached, terms),
    )
    const isNew = found.originals.size > 0
    if (!isNew) report(say('nothing-to-adopt', { profile }))
    // An earlier run may have been cut off before it has added the generation.
    const isKnown = !isNew && (await currentGeneration(place)) !== undefined
    const targets = isKnown ? [] : await adopt(found, modules, context)
    const { dryRun: isDryRun } = args
    await print(args.format === 'json' ? encodeAdoption({ profile, isDryRun, targets }) : renderAdoption(targets))
  },
})

interface Arguments {
  readonly infrastructure: string
  readonly profile: string
  readonly dryRun: boolean
  readonly partial: boolean
  readonly replace: boolean
  readonly modules: readonly string[]
  readonly lock: boolean
  readonly lockLease: number
}

type Modules = ReadonlyMap<string, LifecycleModule>

async function adopt(
  found: Adoption,
  modules: Modules,
  context: ToolContext<Arguments>,
): Promise<readonly AdoptedTarget[]> {
  const { args } = context
  const { originals } = found
  const store = args.dryRun ? undefined : await openStore(found.manifest.store, context)
  const manifest = store === undefined ? found.manifest : await prepared(found, { store, modules }, context)
  const run = { manifest, text: encodeDocument(Manifest, manifest, 'json') }
  const withSkip = { ...context, args: { ...args, skipUnreachable: args.partial } }
  const purpose = args.dryRun ? undefined : 'change'
  return withDeployment(
    withSkip,
    { ...run, purpose },
    async ({ profile, place, targets, lockUse, stateMachines: machines }) => {
      const terms = { profile, machines, report: context.report, signal: context.signal, replace: args.replace }
      const adoption = { manifest, originals }
      if (store === undefined) return adoptTargets(adoption, targets, { ...terms, token: '-', mode: 'dry-run' })
      return withLock(targets, lockUse, async ({ token, confirm }) => {
        const adopted = await adoptTargets(adoption, targets, { ...terms, token, mode: 'adopt' })
        await confirm()
        await record({ place, store, ...run }, context)
        return adopted
      })
    },
  )
}

async function prepared(
  found: Adoption,
  made: { readonly store: Store; readonly modules: Modules },
  context: ToolContext<Arguments>,
): Promise<Manifest> {
  const infrastructure = new Map(
    [...found.manifest.infrastructure].filter(([name]) => found.manifest.profiles.has(name)),
  )
  return withTargets(infrastructure, { ...context, role: 'carry', manifests: [] }, (reached) =>
    preparedAdoption(found, reached, { ...context, ...context.args, ...made }),
  )
}

interface Adopted {
  readonly place: DeploymentPlace
  readonly store: Store
  readonly manifest: Manifest
  readonly text: string
}

/** Adds a generation, unless the current one has the same manifest. */
async function record(
  { place, store, manifest, text }: Adopted,
  { args, workingDirectory: directory, report }: ToolContext<Arguments>,
): Promise<void> {
  const { user, host } = processIdentity()
  const time = new Date()
  const options = { infrastructure: args.infrastructure, ...givenOptions(description.options, args) }
  const madeFrom = { davit: version, order: { tool: description.name, began: time.toISOString(), directory, options } }
  const generation = await addGeneration(place, { manifest, text, origin: { time, user, host }, madeFrom })
  await store.addRoot(generationRoot(place, generation.number), [...manifest.profiles.values()])
  await endWanted(place, store)
  report(generationAsFound(generation))
}
