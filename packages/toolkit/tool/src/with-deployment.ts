import { currentGeneration, isWanted } from '@davit/coordinator-state'
import type { LockUse } from '@davit/deployment-lock'
import type { Manifest, TargetName } from '@davit/documents'
import type { StateMachines } from '@davit/state-runner'
import type { Selection } from '@davit/selection'
import { type ShellTarget, targetsToUse } from '@davit/target'

import { deploymentOf, type NamedDeployment } from './deployment-of.ts'
import { onSelected, selectionIn } from './selection-in.ts'
import { type AdoptionMachines, adoptionMachines, stateMachines } from './state-machines.ts'
import type { JournalPurpose } from './run-journal.ts'
import type { StepContext } from './tool-context.ts'
import type { Trust } from './trust.ts'
import { type OpenMachine, withTargets } from './with-targets.ts'

/** Arguments that all tools share that act on the targets of a deployment. */
export interface DeploymentArguments {
  readonly profile: string
  readonly skipUnreachable: boolean
  readonly lockLease: number
  /** Absent if the tool always acts on everything. */
  readonly on?: readonly string[]
  /** Absent if the tool does not work under the lock itself. */
  readonly lock?: boolean
}

export interface DeploymentRun {
  readonly manifest: Manifest
  /** Further manifests that describe services on the targets. */
  readonly others?: readonly Manifest[]
  /** Targets that are reached even if `--on` leaves them out. */
  readonly besides?: readonly TargetName[]
  /** Text of the manifest, for the journal. */
  readonly text: string
  /** Undefined if nothing is journalled, or not yet. */
  readonly purpose: JournalPurpose | undefined
  /** What the manifests may start on this machine. */
  readonly trust: Trust
}

export interface ReachedDeployment extends NamedDeployment {
  /** All targets of the manifest, except those that `--skip-unreachable` skips, or that `--on` leaves out. */
  readonly targets: readonly ShellTarget[]
  /** What `--on` selects; undefined without it. */
  readonly selection: Selection | undefined
  /** Machines with helpers for state. */
  readonly stateMachines: StateMachines
  /** Machines with helpers that take over, or give back, what Disnix has deployed. */
  readonly adoptionMachines: AdoptionMachines
  readonly open: OpenMachine
  /** Options for `withLock`. */
  readonly lockUse: LockUse
}

/** Acts on a deployment: journals the run, connects to the targets, and refuses or skips those that cannot be reached. */
export async function withDeployment<Result>(
  context: StepContext<DeploymentArguments>,
  { manifest, others = [], besides = [], text, purpose, trust }: DeploymentRun,
  use: (deployment: ReachedDeployment) => Promise<Result>,
): Promise<Result> {
  const { args, report } = context
  const { profile, place } = deploymentOf(context)
  if (purpose !== undefined) context.journal({ profile, manifest: text }, purpose)
  const locking = args.lock === false ? 'none' : 'join-or-take'
  const isUnfinished = (token: string) => isWanted(place, token)
  const lockUse: LockUse = { profile, place, leaseSeconds: args.lockLease, locking, isUnfinished }
  // Whoever needs the generation says what is wrong with it.
  const previous = (await currentGeneration(place).catch(() => undefined))?.manifest
  const manifests = [manifest, ...others, ...(previous === undefined ? [] : [previous])]
  const selection = selectionIn(manifests, args.on ?? [])
  const selected = onSelected(manifest.infrastructure, selection)
  const isReached = (name: TargetName) => selected.has(name) || besides.includes(name)
  const infrastructure = new Map([...manifest.infrastructure].filter(([name]) => isReached(name)))
  return withTargets(infrastructure, { ...context, role: 'deploy', manifests, trust }, async (reached, _, open) => {
    const targets = targetsToUse(reached, { unreachable: args.skipUnreachable ? 'skip' : 'refuse', report })
    const state = stateMachines(infrastructure, targets, open)
    const adoption = adoptionMachines(infrastructure, targets, open)
    return use({ profile, place, targets, selection, stateMachines: state, adoptionMachines: adoption, open, lockUse })
  })
}
