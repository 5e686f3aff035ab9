import { currentGeneration } from '@davit/coordinator-state'
import { abandon } from '@davit/deployment'
import { encodeDocument, Manifest } from '@davit/documents'
import {
  type DeploymentArguments,
  deploymentOf,
  type DocumentInput,
  type Run,
  type ToolContext,
  trustUnless,
  usageError,
  withDeployment,
} from '@davit/tool'

type GivenManifest = Pick<DocumentInput<Manifest>, 'value' | 'text'>

interface Options extends DeploymentArguments {
  /** Services, by name, key or NAME@TARGET. */
  readonly abandon: readonly string[]
  readonly activityTimeout: number | undefined
  readonly dryRun: boolean
  readonly trustPrograms: boolean
}

/** Gives services up on the targets of a manifest, or else of the current generation: puts their records aside, and calls no module. */
export async function giveUp(
  manifest: GivenManifest | undefined,
  options: Options,
  run: Run & Pick<ToolContext<unknown>, 'print'>,
): Promise<void> {
  const context = { ...run, args: options }
  const { abandon: names, activityTimeout: timeoutSeconds, dryRun } = options
  const { value, text } = manifest ?? (await currentManifest(context))
  const purpose = dryRun ? undefined : 'change'
  const trust = await trustUnless(context)
  await withDeployment(context, { manifest: value, text, purpose, trust }, ({ targets, profile, lockUse }) =>
    abandon(targets, { ...run, profile, names, dryRun, lockUse, timeoutSeconds }),
  )
}

async function currentManifest(context: Parameters<typeof deploymentOf>[0]): Promise<GivenManifest> {
  const { profile, place } = deploymentOf(context)
  const generation = await currentGeneration(place)
  if (generation !== undefined)
    return { value: generation.manifest, text: encodeDocument(Manifest, generation.manifest, 'json') }
  throw usageError(
    `the coordinator has no generation of '${profile}', and so does not know the targets`,
    'pass the models, or a manifest, or name another deployment with -p NAME',
  )
}
