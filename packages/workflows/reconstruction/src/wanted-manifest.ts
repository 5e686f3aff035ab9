import { DavitError, type Report } from '@davit/diagnostics'
import type { Infrastructure, Manifest, ProfileName, TargetName } from '@davit/documents'
import { reconstruct, type TargetAccount, targetsBeyond, type ToldTarget, wantedRun } from '@davit/recovery'
import { allTargets, type ReachedTargets, type ToldProfile } from '@davit/target'

import { readAccounts } from './read-accounts.ts'
import { say } from './messages.ts'
import { completed, contradictoryRun, settle, toldTargets } from './reconstruct-manifest.ts'

export interface WantedOptions {
  readonly infrastructure: Infrastructure
  readonly profile: ProfileName
  /** What this coordinator has recorded of a run that was cut off, if the targets were told of it. */
  readonly recorded: Manifest | undefined
  /** What counts where the record and the targets disagree; without it, that is refused. */
  readonly prefer: 'coordinator' | 'targets' | undefined
  readonly report: Report
  readonly signal: AbortSignal
}

/** What the last run was about to reach, according to the coordinator's record or to the targets. */
export type WantedManifest =
  | { readonly kind: 'nothing' | 'as-recorded' }
  | { readonly kind: 'told'; readonly manifest: Manifest }

/** Reads what the last run has told its targets, and compares it with what this coordinator has recorded. Changes nothing. */
export async function wantedManifest(reached: ReachedTargets, options: WantedOptions): Promise<WantedManifest> {
  const { profile, signal } = options
  const recorded = options.prefer === 'targets' ? undefined : options.recorded
  if (recorded === undefined) allTargets(reached)
  // Records, and machines that cannot be reached, concern the run that goes on.
  const read = await readAccounts(reached, {
    profile,
    partial: true,
    prefer: 'records',
    originals: 'ignore',
    report: () => {},
    signal,
  })
  const targets = toldTargets(read)
  if (recorded === undefined) return told(targets, options)
  const beyond = targetsBeyond(recorded.profiles, targets)
  if (beyond.length > 0 && options.prefer === undefined) throw disagreement(beyond)
  return { kind: 'as-recorded' }
}

function told(targets: readonly ToldTarget<ToldProfile>[], options: WantedOptions): WantedManifest {
  const wanted = wantedRun(targets)
  if (wanted.kind === 'nothing') return { kind: 'nothing' }
  if (wanted.kind === 'incomplete') throw incomplete(wanted)
  if (wanted.kind === 'contradictory') throw contradictoryRun(wanted.told)
  if (wanted.without.length > 0) options.report(say('run-without', { targets: wanted.without }))
  return { kind: 'told', manifest: manifestOf(wanted.profiles, options) }
}

function manifestOf(
  profiles: ReadonlyMap<TargetName, ToldProfile>,
  { infrastructure, report }: WantedOptions,
): Manifest {
  const accounts = [...profiles].map(([target, told]): TargetAccount => {
    if (told.problem !== undefined) throw unreadable(told.problem)
    return { target, profile: told, records: [] }
  })
  const targets = new Map([...infrastructure].filter(([name]) => profiles.has(name)))
  const { unsettled, ...found } = reconstruct({ infrastructure: targets, accounts, prefer: 'profile' })
  // Records are not compared: the run was cut off.
  settle({ contradictions: unsettled, unsettled }, { prefer: undefined, originals: 'ignore', report })
  return completed({ ...found, unsettled }, { partial: false, report }).manifest
}

function disagreement(targets: readonly TargetName[]): DavitError {
  const names = targets.map((name) => `'${name}'`).join(', ')
  return new DavitError(
    'wanted-elsewhere',
    `since the run that this coordinator has recorded, somebody has deployed something else to ${names}, or begun to`,
    {
      hint: '--prefer coordinator takes what is recorded here, --prefer targets what the targets were told last',
    },
  )
}

function incomplete({
  targets,
  told: those,
}: {
  readonly targets: number
  readonly told: readonly TargetName[]
}): DavitError {
  const names = those.map((name) => `'${name}'`).join(', ')
  return new DavitError(
    'wanted-unknown',
    `only ${those.length} of ${targets} targets know what the last run wanted: ${names}`,
    {
      hint: 'add missing targets to the infrastructure; if one was reinstalled, deploy with the models',
    },
  )
}

function unreadable(problem: DavitError): DavitError {
  return new DavitError('bad-profile', problem.message, {
    exitStatus: problem.exitStatus,
    diagnostics: problem.diagnostics,
    hint: 'deploy with the models',
    cause: problem,
  })
}
