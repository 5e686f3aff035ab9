import { type Adoption, type AdoptedTarget, adoptTargets, preparedAdoption, readAdoption } from '@davit/adoption'
import {
  addGeneration,
  currentGeneration,
  type DeploymentPlace,
  endWanted,
  type Generation,
  generationAsFound,
  generationRoot,
} from '@davit/coordinator-state'
import { adoptInstalled } from '@davit/deployment'
import { lockStates, withLock } from '@davit/deployment-lock'
import { encodeDocument, Manifest, type ProfileName } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { type LifecycleModule, modulesOf } from '@davit/modules'
import { processIdentity } from '@davit/process'
import { openStore, type Store } from '@davit/store'
import { isTakenOver } from '@davit/target'
import {
  adoptionMachines,
  defineTool,
  deploymentOf,
  givenOptions,
  infrastructureOf,
  type ToolContext,
  trustUnless,
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
    const trust = await trustUnless(context)
    const reaching = { ...context, role: 'deploy' as const, manifests: [], trust }
    const found = await withTargets(infrastructure, reaching, async (reached, _, open) => {
      const machines = adoptionMachines(infrastructure, [...reached.targets.values()], open)
      return {
        ...(await readAdoption(reached, { ...terms, machines })),
        hasLeftLock: await hasLeftLock(reached, profile),
        isBehindClients: [...reached.targets.values()].some(({ machine }) => !isTakenOver(machine, profile)),
      }
    })
    const isNew = found.originals.size > 0 || found.isBehindClients
    if (!isNew) report(say('nothing-to-adopt', { profile }))
    // An earlier run may have been cut off before it has added the generation.
    const known = isNew ? undefined : await currentGeneration(place)
    const targets = known === undefined ? await adopt(found, modules, context) : []
    const { dryRun: isDryRun } = args
    if (found.hasLeftLock && !isDryRun) await finish(known, context)
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
  readonly trustPrograms: boolean
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
    { ...run, purpose, trust: await trustUnless(context) },
    async ({ profile, place, targets, lockUse, adoptionMachines: machines }) => {
      const terms = { profile, machines, report: context.report, signal: context.signal, replace: args.replace }
      const adoption = { manifest, originals }
      if (store === undefined) return adoptTargets(adoption, targets, { ...terms, token: '-', mode: 'dry-run' })
      return withLock(targets, lockUse, async ({ token, confirm }) => {
        const adopted = await adoptTargets(adoption, targets, { ...terms, token, mode: 'adopt' })
        await adoptInstalled(manifest, targets, { ...terms, token })
        await confirm()
        await record({ place, store, ...run }, context)
        return adopted
      })
    },
  )
}

/** Whether a run that was killed has left its lock. */
async function hasLeftLock(reached: Parameters<typeof lockStates>[0], profile: ProfileName): Promise<boolean> {
  const states = await lockStates(reached, { profile, here: processIdentity() })
  return states.some((state) => state.kind === 'held' && state.life === 'dead')
}

/** Does what is left of a run that was cut off after it had added the generation, and releases its lock. */
async function finish(known: Generation | undefined, context: ToolContext<Arguments>): Promise<void> {
  if (known === undefined) return
  const { manifest, number } = known
  const store = await openStore(manifest.store, context)
  const withSkip = { ...context, args: { ...context.args, skipUnreachable: context.args.partial } }
  const text = encodeDocument(Manifest, manifest, 'json')
  const run = { manifest, text, purpose: 'change', trust: 'everything' } as const
  await withDeployment(withSkip, run, ({ place, targets, lockUse }) =>
    withLock(targets, lockUse, () => keep({ place, store, manifest, number })),
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
  return withTargets(infrastructure, { ...context, role: 'carry', manifests: [], trust: 'everything' }, (reached) =>
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
  await keep({ place, store, manifest, number: generation.number })
  report(generationAsFound(generation))
}

/** Makes a generation a root of the store, so that what was wanted need not be one any more. */
async function keep({ place, store, manifest, number }: Omit<Adopted, 'text'> & { readonly number: number }) {
  await store.addRoot(generationRoot(place, number), [...manifest.profiles.values()])
  await endWanted(place, store)
}
