import { currentGeneration } from '@davit/coordinator-state'
import { lockStates } from '@davit/deployment-lock'
import { Manifest } from '@davit/documents'
import { processIdentity } from '@davit/process'
import { deploymentOf, type ToolContext, usageError, withTargets } from '@davit/tool'

import { say } from './messages.ts'
import { encodeLocks, renderLocks } from './render-locks.ts'

interface Arguments {
  readonly profile: string
  readonly manifest: string | undefined
  readonly command: readonly string[]
  readonly format: 'text' | 'json'
}

/** Carries out `davit-lock --status`. */
export async function showLocks(context: ToolContext<Arguments>): Promise<number> {
  const { args, print, report } = context
  if (args.command.length > 0) throw usageError('--status runs no command', 'omit the command, or --status')
  const { profile } = deploymentOf(context)
  const manifest = await manifestFor(context)
  const options = { ...context, role: 'deploy', manifests: [manifest] } as const
  const states = await withTargets(manifest.infrastructure, options, (reached) =>
    lockStates(reached, { profile, here: processIdentity() }),
  )
  const failures = states.flatMap((state) => (state.kind === 'unknown' ? [state] : []))
  for (const { target, error } of failures) report(say('lock-unknown', { target, reason: error.message }))
  await print(args.format === 'json' ? encodeLocks(profile, states) : renderLocks(states))
  return Math.max(0, ...failures.map(({ error }) => error.exitStatus))
}

async function manifestFor(context: ToolContext<Arguments>): Promise<Manifest> {
  const { args, readDocument } = context
  if (args.manifest !== undefined) return (await readDocument(Manifest, args.manifest)).value
  const generation = await currentGeneration(deploymentOf(context).place)
  if (generation !== undefined) return generation.manifest
  throw usageError(
    `the coordinator has no generation of '${args.profile}', and so does not know the targets`,
    'pass a manifest, or name another deployment with -p NAME',
  )
}
