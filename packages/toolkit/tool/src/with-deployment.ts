import { type DeploymentPlace, deploymentPlace } from '@davit/coordinator-state'
import type { LockUse } from '@davit/deployment-lock'
import { type Manifest, parseProfileName, type ProfileName } from '@davit/documents'
import { type ShellTarget, targetsToUse } from '@davit/target'

import type { JournalPurpose } from './run-journal.ts'
import { stateDirectory, type StateOwner } from './state-directory.ts'
import type { ToolContext } from './tool-context.ts'
import { withTargets } from './with-targets.ts'

export interface NamedDeployment {
  readonly profile: ProfileName
  /** Where this coordinator remembers it. */
  readonly place: DeploymentPlace
}

/** The deployment that `--profile` names. */
export function deploymentOf(context: StateOwner & { readonly args: { readonly profile: string } }): NamedDeployment {
  const profile = parseProfileName(context.args.profile)
  return { profile, place: deploymentPlace(stateDirectory(context), profile) }
}

/** Of the options that tools share which act on the targets of a deployment. */
export interface DeploymentArguments {
  readonly profile: string
  readonly skipUnreachable: boolean
  readonly lockLease: number
  /** Only where the tool itself works under the lock. */
  readonly lock?: boolean
}

export interface DeploymentRun {
  readonly manifest: Manifest
  /** Of the manifest, for the journal. */
  readonly text: string
  /** Without it, nothing is journalled, or not yet. */
  readonly purpose: JournalPurpose | undefined
}

export interface ReachedDeployment extends NamedDeployment {
  /** All of the manifest, but for those that `--skip-unreachable` passes over. */
  readonly targets: readonly ShellTarget[]
  /** How `withLock` is to work. */
  readonly lockUse: LockUse
}

/** What every tool does that acts on a deployment: journals the run, connects to the targets, refuses or skips what cannot be reached. */
export async function withDeployment<Result>(
  context: ToolContext<DeploymentArguments>,
  { manifest, text, purpose }: DeploymentRun,
  use: (deployment: ReachedDeployment) => Promise<Result>,
): Promise<Result> {
  const { args, report } = context
  const { profile, place } = deploymentOf(context)
  if (purpose !== undefined) context.journal({ profile, manifest: text }, purpose)
  const locking = args.lock === false ? 'none' : 'join-or-take'
  const lockUse: LockUse = { profile, place, leaseSeconds: args.lockLease, locking }
  return withTargets(manifest.infrastructure, { ...context, role: 'deploy' }, async (reached) => {
    const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
    return use({ profile, place, targets, lockUse })
  })
}
