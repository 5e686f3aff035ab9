import { currentGeneration } from '@davit/coordinator-state'
import { abandon } from '@davit/deployment'
import { encodeDocument, Manifest } from '@davit/documents'
import {
  type DeploymentArguments,
  deploymentOf,
  type NamedDeployment,
  type ToolContext,
  trustUnless,
  usageError,
  withDeployment,
} from '@davit/tool'

interface Arguments extends DeploymentArguments {
  readonly abandon: readonly string[]
  readonly activityTimeout: number | undefined
  readonly dryRun: boolean
  readonly trustPrograms: boolean
  readonly manifest: string | undefined
}

/** Carries out `davit-activate --abandon`. */
export async function giveUp(context: ToolContext<Arguments>): Promise<void> {
  const { abandon: names, activityTimeout: timeoutSeconds, dryRun } = context.args
  const { value: manifest, text } = await manifestFor(context, deploymentOf(context))
  const purpose = dryRun ? undefined : 'change'
  const trust = await trustUnless(context)
  await withDeployment(context, { manifest, text, purpose, trust }, ({ targets, profile, lockUse }) =>
    abandon(targets, { ...context, profile, names, dryRun, lockUse, timeoutSeconds }),
  )
}

async function manifestFor(
  { args, readDocument }: ToolContext<Arguments>,
  { place }: NamedDeployment,
): Promise<{ readonly value: Manifest; readonly text: string }> {
  if (args.manifest !== undefined) return readDocument(Manifest, args.manifest)
  const generation = await currentGeneration(place)
  if (generation !== undefined)
    return { value: generation.manifest, text: encodeDocument(Manifest, generation.manifest, 'json') }
  throw usageError(
    `the coordinator has no generation of '${args.profile}', and so does not know the targets`,
    'pass the models, or a manifest, or name another deployment with -p NAME',
  )
}
