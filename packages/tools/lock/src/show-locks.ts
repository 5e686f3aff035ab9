import { currentGeneration } from '@davit/coordinator-state'
import { lockStates } from '@davit/deployment-lock'
import { type Infrastructure, Manifest } from '@davit/documents'
import { loadInfrastructure } from '@davit/models'
import { processIdentity } from '@davit/process'
import { currentSystem } from '@davit/store'
import { deploymentOf, type ToolContext, trustToLook, usageError, withTargets } from '@davit/tool'

import { say } from './messages.ts'
import { encodeLocks, renderLocks } from './render-locks.ts'

interface Arguments {
  readonly profile: string
  readonly manifest: string | undefined
  readonly infrastructure: string | undefined
  readonly interface: string
  readonly targetProperty: string
  readonly command: readonly string[]
  readonly format: 'text' | 'json'
  readonly trustPrograms: boolean
}

/** Carries out `davit-lock --status`. */
export async function showLocks(context: ToolContext<Arguments>): Promise<number> {
  const { args, print, report } = context
  if (args.command.length > 0) throw usageError('--status runs no command', 'omit the command, or --status')
  const { profile } = deploymentOf(context)
  const options = { ...context, role: 'deploy', manifests: [], trust: await trustToLook(context) } as const
  const states = await withTargets(await infrastructureFor(context), options, (reached) =>
    lockStates(reached, { profile, here: processIdentity() }),
  )
  const failures = states.flatMap((state) => (state.kind === 'unknown' ? [state] : []))
  for (const { target, error } of failures) report(say('lock-unknown', { target, reason: error.message }))
  await print(args.format === 'json' ? encodeLocks(profile, states) : renderLocks(states))
  return Math.max(0, ...failures.map(({ error }) => error.exitStatus))
}

async function infrastructureFor(context: ToolContext<Arguments>): Promise<Infrastructure> {
  const { args, readDocument, environment } = context
  const { infrastructure, manifest, interface: clientInterface, targetProperty } = args
  if (infrastructure !== undefined) {
    if (manifest !== undefined)
      throw usageError('a manifest and --infrastructure exclude each other', 'omit one of them')
    return loadInfrastructure(infrastructure, {
      ...context,
      system: currentSystem(environment),
      clientInterface,
      targetProperty,
    })
  }
  if (manifest !== undefined) return (await readDocument(Manifest, manifest)).value.infrastructure
  const generation = await currentGeneration(deploymentOf(context).place)
  if (generation !== undefined) return generation.manifest.infrastructure
  throw usageError(
    `the coordinator has no generation of '${args.profile}', and so does not know the targets`,
    'pass a manifest, or the infrastructure model with -i, or name another deployment with -p NAME',
  )
}
