import { currentGeneration, deploymentPlace } from '@davit/coordinator-state'
import { encodeDocument, Manifest, parseProfileName } from '@davit/documents'
import { targetsToUse } from '@davit/target'
import { stateDirectory, type ToolContext, usageError, withTargets } from '@davit/tool'

import { abandon } from '@davit/deployment'

interface Arguments {
  readonly abandon: readonly string[]
  readonly activityTimeout: number | undefined
  readonly dryRun: boolean
  readonly lock: boolean
  readonly lockLease: number
  readonly manifest: string | undefined
  readonly profile: string
  readonly skipUnreachable: boolean
}

/** `davit-activate --abandon`. */
export async function giveUp(context: ToolContext<Arguments>): Promise<void> {
  const { args, report } = context
  const profile = parseProfileName(args.profile)
  const place = deploymentPlace(stateDirectory(context), profile)
  const { value: manifest, text } = await manifestFor(context, place)
  if (!args.dryRun) context.journal({ profile, manifest: text }, 'change')
  await withTargets(manifest.infrastructure, context, async (reached) => {
    const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
    const locking = args.lock ? 'join-or-take' : 'none'
    const use = { profile, leaseSeconds: args.lockLease, place, locking } as const
    const { abandon: names, activityTimeout: timeoutSeconds, dryRun } = args
    await abandon(targets, { ...context, profile, names, dryRun, use, timeoutSeconds })
  })
}

async function manifestFor(
  { args, readDocument }: ToolContext<Arguments>,
  place: Parameters<typeof currentGeneration>[0],
): Promise<{ readonly value: Manifest; readonly text: string }> {
  if (args.manifest !== undefined) return readDocument(Manifest, args.manifest)
  const generation = await currentGeneration(place)
  if (generation !== undefined)
    return { value: generation.manifest, text: encodeDocument(Manifest, generation.manifest, 'json') }
  throw usageError(`nothing is deployed as '${args.profile}'`, 'name a manifest with the targets, or another --profile')
}
