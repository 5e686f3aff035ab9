import { resolve } from 'node:path'

import { isSameDeployment } from '@davit/comparison'
import {
  addGeneration,
  currentGeneration,
  type DeploymentPlace,
  generationAsFound,
  generationRoot,
} from '@davit/coordinator-state'
import { copyClosure } from '@davit/distribution'
import { encodeDocument, Manifest } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { processIdentity } from '@davit/process'
import { type Reconstructed, reconstructManifest } from '@davit/reconstruction'
import { modelsOf, type Preference } from '@davit/recovery'
import { openStore, type Store } from '@davit/store'
import { allTargets } from '@davit/target'
import {
  defineTool,
  deploymentOf,
  givenOptions,
  handOn,
  infrastructureOf,
  type Run,
  type StepContext,
  type ToolContext,
  trustToLook,
  unlessInterrupted,
  usageError,
  version,
  withTargets,
} from '@davit/tool'

import { formatIn, refuseUnfit, refuseUnused } from './check-arguments.ts'
import { description } from './description.ts'
import { say } from './messages.ts'
import type { ModelLanguage } from './model-languages.ts'
import { findWanted, type WantedDeployment } from './find-wanted.ts'
import { writeModels } from './write-models.ts'

export { description } from './description.ts'
export type { WantedDeployment } from './find-wanted.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { wanted } = context.args
    refuseUnused(context.args)
    await (wanted ? printWanted(context) : printDeployed(context))
  },
})

async function printWanted(
  context: ToolContext<WantedArguments & { readonly origin: string | undefined }>,
): Promise<void> {
  const { args, print } = context
  const found = await reconstructWanted(args, context)
  if (found === undefined) return
  const { madeFrom, text } = found
  if (madeFrom !== undefined) await handOn(context, () => madeFrom)
  await print(text)
}

type WantedArguments = Parameters<typeof findWanted>[0]['args'] & { readonly closures: boolean }

/** Finds out what a run wanted that was cut off, and fetches its packages if they are asked for. */
export async function reconstructWanted(options: WantedArguments, run: Run): Promise<WantedDeployment | undefined> {
  const context = { ...run, args: options }
  return findWanted(context, (manifest) => fetchIfAsked(manifest, context))
}

/** Prints the manifest that was deployed, or makes something else of it. */
async function printDeployed(context: ToolContext<DeployedArguments>): Promise<void> {
  const { args, print, report } = context
  const { profile, place } = deploymentOf(context)
  const { manifest, installed, text, store } = await reconstructDeployed(args, context)
  if (args.as !== undefined) await writeAs(args.as, { manifest, installed }, context)
  if (args.set) {
    context.journal({ profile, manifest: text }, 'change')
    const generation = await recover(place, manifest, context)
    await store?.addRoot(generationRoot(place, generation.number), [...manifest.profiles.values()])
    report(generationAsFound(generation))
  }
  if (args.as === undefined) await print(text)
}

interface ReconstructedDeployment extends Reconstructed {
  readonly text: string
  /** The store of the coordinator, if packages were fetched. */
  readonly store: Store | undefined
}

/** Puts together what was deployed from what the targets have, and fetches its packages if they are asked for. */
export async function reconstructDeployed(
  options: ReadingArguments & Pick<DeployedArguments, 'format' | 'closures' | 'as'>,
  run: Run,
): Promise<ReconstructedDeployment> {
  const reconstructed = await readBack({ ...run, args: options })
  const { manifest } = reconstructed
  refuseUnfit(options.as, manifest.store)
  const text = encodeDocument(Manifest, manifest, formatIn(options))
  const store = options.closures ? await openStore(manifest.store, run) : undefined
  if (store !== undefined) await fetchClosures(manifest, store, run)
  return { ...reconstructed, text, store }
}

interface DeployedArguments extends ReadingArguments {
  readonly format: 'xml' | 'json' | undefined
  readonly closures: boolean
  readonly as: ModelLanguage | undefined
  readonly directory: string
  readonly set: boolean
}

async function readBack(context: StepContext<ReadingArguments>): Promise<Reconstructed> {
  const { args } = context
  const prefer = preferenceIn(args.prefer)
  if (args.infrastructure === undefined)
    throw usageError('missing operand INFRASTRUCTURE', 'infrastructure model: the targets to read')
  const { profile } = deploymentOf(context)
  const infrastructure = await infrastructureOf({ ...context, args: { ...args, deployed: false } }, loadInfrastructure)
  const trust = await trustToLook(context)
  return withTargets(infrastructure, { ...context, role: 'deploy', manifests: [], trust }, (reached) =>
    unlessInterrupted(
      reconstructManifest(reached, { ...context, ...args, prefer, infrastructure, profile, originals: 'ignore' }),
      context.signal,
    ),
  )
}

interface ReadingArguments {
  readonly profile: string
  readonly infrastructure: string | undefined
  readonly prefer: Preference | 'coordinator' | 'targets' | undefined
  readonly partial: boolean
  readonly interface: string
  readonly targetProperty: string
  readonly trustPrograms: boolean
}

function preferenceIn(prefer: Preference | 'coordinator' | 'targets' | undefined): Preference | undefined {
  if (prefer !== 'coordinator' && prefer !== 'targets') return prefer
  throw usageError(`'--prefer ${prefer}' belongs to '--wanted'`, 'it can be profile or records')
}

async function fetchIfAsked(manifest: Manifest, context: StepContext<{ readonly closures: boolean }>): Promise<void> {
  if (context.args.closures) await fetchClosures(manifest, await openStore(manifest.store, context), context)
}

/** Writes models, and says what they do not contain. */
async function writeAs(
  language: ModelLanguage,
  { manifest, installed }: Pick<Reconstructed, 'manifest' | 'installed'>,
  { args, workingDirectory, report }: ToolContext<{ readonly directory: string }>,
): Promise<void> {
  const models = modelsOf(manifest, installed)
  for (const loss of models.losses) report(say('not-in-models', { loss }))
  const files = await writeModels(models, language, resolve(workingDirectory, args.directory))
  report(say('models-written', { files }))
  if (language !== 'nix' && manifest.store.kind === 'nix') report(say('models-need-nix'))
}

/** Fetches the profiles with all that they need, one target after the other, since most of it is the same. */
async function fetchClosures(manifest: Manifest, store: Store, context: Run): Promise<void> {
  const infrastructure = new Map([...manifest.infrastructure].filter(([name]) => manifest.profiles.has(name)))
  await withTargets(
    infrastructure,
    { ...context, role: 'carry', manifests: [], trust: 'everything' },
    async (reached) => {
      for (const target of allTargets(reached)) {
        const path = manifest.profiles.get(target.name)
        if (path !== undefined) await copyClosure([path], target, { ...context, store, direction: 'from' })
      }
    },
  )
}

/** Adds a generation, unless the current one says the same. */
async function recover(
  place: DeploymentPlace,
  manifest: Manifest,
  { args, workingDirectory: directory }: ToolContext<ReadingArguments>,
) {
  const current = await currentGeneration(place)
  if (current !== undefined && isSameDeployment(current.manifest, manifest)) {
    return { kind: 'unchanged', number: current.number } as const
  }
  const { user, host } = processIdentity()
  // As davit-env records it.
  const text = encodeDocument(Manifest, manifest, 'json')
  const time = new Date()
  const options = { infrastructure: args.infrastructure ?? '', ...givenOptions(description.options, args) }
  const madeFrom = { davit: version, order: { tool: description.name, began: time.toISOString(), directory, options } }
  return addGeneration(place, { manifest, text, origin: { time, user, host }, madeFrom })
}
