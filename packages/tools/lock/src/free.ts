import { currentGeneration } from '@davit/coordinator-state'
import { freeLock } from '@davit/deployment-lock'
import { type Infrastructure, Manifest } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { coresOf } from '@davit/transition'
import { deploymentOf, infrastructureOf, type ToolContext, usageError, withTargets } from '@davit/tool'

export interface FreeArguments {
  readonly profile: string
  readonly manifest: string | undefined
  readonly infrastructure: string | undefined
  readonly deployed: boolean
  readonly interface: string
  readonly targetProperty: string
  readonly activityTimeout: number | undefined
}

/** Carries out `davit-unlock --id`. */
export async function free(token: string, context: ToolContext<FreeArguments>): Promise<void> {
  const { args, print, report } = context
  const { profile, place } = deploymentOf(context)
  const { infrastructure, manifests, text } = await lockedPlaces(context)
  context.journal({ profile, manifest: text }, 'release')
  const { activityTimeout: timeoutSeconds } = args
  await withTargets(infrastructure, { ...context, role: 'deploy', manifests, trust: 'everything' }, (reached) =>
    freeLock(reached, { profile, token, place, timeoutSeconds, report, coresOf: coresOf(infrastructure) }),
  )
  if (text !== undefined) await print(text)
}

interface LockedPlaces {
  readonly infrastructure: Infrastructure
  /** Manifests that refer to the secrets of services. */
  readonly manifests: readonly Manifest[]
  /** Text of the manifest that was given. */
  readonly text?: string
}

async function lockedPlaces(context: ToolContext<FreeArguments>): Promise<LockedPlaces> {
  const { manifest, infrastructure: model, deployed } = context.args
  if (model === undefined && !deployed) {
    const { value, text } = await context.readDocument(Manifest, manifest)
    return { infrastructure: value.infrastructure, manifests: [value], text }
  }
  if (manifest !== undefined) {
    const option = deployed ? '--deployed' : '--infrastructure'
    throw usageError(`a manifest and ${option} cannot be combined`, 'omit one of them')
  }
  const infrastructure = await infrastructureOf(context, loadInfrastructure)
  const generation = await currentGeneration(deploymentOf(context).place)
  return { infrastructure, manifests: generation === undefined ? [] : [generation.manifest] }
}
