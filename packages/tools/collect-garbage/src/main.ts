import { collectEverywhere, oldGenerations } from '@davit/collection'
import { currentGeneration, type DeploymentPlace } from '@davit/coordinator-state'
import { DavitError } from '@davit/diagnostics'
import { type Infrastructure, Manifest, type StoreReference } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { defaultStore } from '@davit/store'
import { isHere } from '@davit/target'
import {
  defineTool,
  deploymentOf,
  infrastructureOf,
  type InfrastructureArguments,
  manifestOfTargets,
  onSelected,
  selectionFor,
  type ToolContext,
  trustUnless,
  usageError,
  withTargets,
} from '@davit/tool'
import { description } from './description.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args } = context
    const { profile, place } = deploymentOf(context)
    const manifest = await manifestOf(context, place)
    const infrastructure = await selectedOf(await targetsOf(context, manifest), manifest, context)
    const reference = storeOf(context, infrastructure, manifest ?? (await currentGeneration(place))?.manifest)
    if (manifest !== undefined) checkStore(manifest, reference)
    const old = args.deleteOld ? await oldGenerations(place, profile, manifest) : undefined
    if (!args.dryRun) context.journal({ profile }, 'release')
    const leftovers = args.now ? 'collect' : 'keep'
    const collection = { ...context, reference, old, dryRun: args.dryRun, leftovers } as const
    const trust = await trustUnless(context)
    await withTargets(infrastructure, { ...context, role: 'collect', manifests: [], trust }, (reached, openHere) =>
      collectEverywhere(reached, openHere, collection),
    )
  },
})

interface Choice extends InfrastructureArguments {
  readonly manifest: string | undefined
  readonly store: 'native' | 'nix' | undefined
}

/** Manifest on whose targets garbage is collected as well, if any. */
async function manifestOf(
  { args, readDocument }: ToolContext<Choice>,
  place: DeploymentPlace,
): Promise<Manifest | undefined> {
  if (!args.deployed)
    return args.manifest === undefined ? undefined : (await readDocument(Manifest, args.manifest)).value
  if (args.manifest !== undefined) throw usageError('a manifest and --deployed cannot be combined', 'omit one of them')
  const generation = await currentGeneration(place)
  if (generation !== undefined) return generation.manifest
  throw new DavitError('no-generation', `nothing is deployed as '${args.profile}'`, {
    hint: 'name another deployment with -p NAME',
  })
}

/** Targets on which garbage is collected as well, if any. */
async function targetsOf(context: ToolContext<Choice>, manifest: Manifest | undefined): Promise<Infrastructure> {
  const { args } = context
  if (args.infrastructure === undefined) return manifest?.infrastructure ?? new Map()
  if (args.manifest === undefined) return infrastructureOf(context, loadInfrastructure)
  throw usageError('a manifest and --infrastructure cannot be combined', 'omit one of them')
}

/** The targets on which something is selected. */
async function selectedOf(
  all: Infrastructure,
  manifest: Manifest | undefined,
  context: ToolContext<InfrastructureArguments & { readonly on: readonly string[] }>,
): Promise<Infrastructure> {
  if (all.size === 0) return all
  return onSelected(all, await selectionFor(manifest ?? manifestOfTargets(all), context))
}

function checkStore({ store }: Manifest, { kind }: StoreReference): void {
  if (store.kind !== kind) throw usageError(`the manifest is for the ${store.kind} store`, 'omit --store')
}

/** Store of the manifest, or else the one that a deployment would choose. */
function storeOf(
  { args, environment, privileged }: ToolContext<Choice>,
  infrastructure: Infrastructure,
  manifest: Manifest | undefined,
): StoreReference {
  const kind = args.store ?? manifest?.store.kind ?? 'native'
  if (manifest?.store.kind === kind) return manifest.store
  const onlyLocalTargets = [...infrastructure.values()].every(isHere)
  return defaultStore(kind, environment, { privileged, onlyLocalTargets })
}
