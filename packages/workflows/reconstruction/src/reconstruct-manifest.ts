import { DavitError } from '@davit/diagnostics'
import { type Infrastructure, Manifest, type ProfileName, type TargetName, validateDocument } from '@davit/documents'
import {
  contradictionText,
  type InstalledServices,
  type Preference,
  reconstruct,
  type Reconstruction,
  type ToldTarget,
  wantedRun,
} from '@davit/recovery'
import { type OriginalDeployment, originalLocked, type ReachedTargets, type ToldProfile } from '@davit/target'

import { say } from './messages.ts'
import { type Accounts, readAccounts, type ReadingTerms } from './read-accounts.ts'

export interface ReconstructionOptions extends Pick<ReadingTerms, 'originals' | 'partial' | 'report' | 'signal'> {
  readonly infrastructure: Infrastructure
  readonly profile: ProfileName
  /** What counts where profiles and records contradict each other; without it, contradictions are refused. */
  readonly prefer: Preference | undefined
}

/** A deployment as its targets have it. */
export interface Reconstructed {
  readonly manifest: Manifest
  /** Targets of the services that are installed, but not activated. */
  readonly installed: InstalledServices
  /** Deployments of Disnix that were taken for what is deployed, by target. */
  readonly originals: ReadonlyMap<TargetName, OriginalDeployment>
}

/** Reads a deployment back from its targets. */
export async function reconstructManifest(
  reached: ReachedTargets,
  options: ReconstructionOptions,
): Promise<Reconstructed> {
  const { infrastructure, profile, prefer, report } = options
  const read = await readAccounts(reached, options)
  if (options.originals !== 'ignore' && read.originalLocks.size > 0) throw originalLocked(read.originalLocks)
  refuseNothing(read, profile)
  if (prefer !== 'records') refuseHalfRecorded(read)
  if (read.empty.length > 0) report(say('nothing-there', { targets: read.empty, profile }))
  const found = reconstruct({ infrastructure, accounts: read.accounts, prefer: prefer ?? 'profile' })
  settle(found, options)
  return { ...completed(found, options), originals: read.originals }
}

/** Returns what was put together, unless something is missing. */
export function completed(
  found: Reconstruction,
  options: Pick<ReconstructionOptions, 'partial' | 'report'>,
): Omit<Reconstructed, 'originals'> {
  leaveOut(found, options)
  const manifest = validateDocument(Manifest, found.manifest, { file: 'the reconstructed manifest' })
  return { manifest, installed: found.installed }
}

/** Refuses profiles of which some are those before a run, and some those after it. */
function refuseHalfRecorded(read: Accounts): void {
  const wanted = wantedRun(toldTargets(read))
  if (wanted.kind === 'contradictory') throw contradictoryRun(wanted.told)
  if (wanted.kind !== 'run' || wanted.recorded.length === 0) return
  const names = wanted.recorded.map((name) => `'${name}'`).join(', ')
  throw new DavitError(
    'half-recorded',
    `a run was cut off while it recorded what it had deployed: only ${names} had its profile`,
    {
      hint: '--wanted takes what that run has deployed; --prefer records takes what is active now',
    },
  )
}

/** What is wrong if targets do not agree on the run that was cut off. */
export function contradictoryRun(told: ReadonlyMap<TargetName, number>): DavitError {
  return new DavitError('contradictory-run', 'nobody can tell whether the last run had begun', {
    diagnostics: [...told].map(([target, targets]) => ({
      severity: 'error',
      message: `'${target}' says that ${targets === 1 ? 'it alone was' : `${targets} targets were`} to be told of it`,
    })),
    hint: 'deploy with the models; --prefer records takes what is active now',
  })
}

/** What each target knows of runs. */
export function toldTargets({
  accounts,
  told,
  behindClients,
}: Pick<Accounts, 'accounts' | 'told' | 'behindClients'>): readonly ToldTarget<ToldProfile>[] {
  return accounts.map(({ target, profile }) => ({
    target,
    current: profile?.path,
    told: told.get(target) ?? [],
    isToldByAll: !behindClients.has(target),
  }))
}

function refuseNothing({ accounts, empty, profiles, originalProfiles }: Accounts, profile: ProfileName): void {
  if (accounts.length > empty.length) return
  const made = [...originalProfiles].toSorted()
  const others = [...profiles].filter((name) => name !== profile).map((name) => `'${name}'`)
  throw new DavitError('nothing-found', `the targets know of no deployment '${profile}'`, {
    hint:
      made.length > 0
        ? `they have ${made.map((name) => `'${name}'`).join(', ')} of Disnix: davit-adopt takes such a deployment over`
        : others.length === 0
          ? 'check the infrastructure, and the account that logs in: each account has deployments of its own'
          : `they have ${others.join(', ')}: name it with -p NAME`,
  })
}

/** Refuses contradictions, or reports what settles them. */
export function settle(
  { contradictions, unsettled }: Pick<Reconstruction, 'contradictions' | 'unsettled'>,
  { prefer, originals, report }: Pick<ReconstructionOptions, 'prefer' | 'originals' | 'report'>,
): void {
  const refused = prefer === undefined ? contradictions : unsettled
  if (refused.length > 0) {
    throw new DavitError('contradictory-deployment', 'the targets contradict themselves or each other', {
      diagnostics: refused.map((one) => ({ severity: 'error', message: contradictionText(one) })),
      hint:
        originals !== 'ignore'
          ? 'nothing was done; if Disnix has deployed after davit, --replace puts aside what davit knows of its own deployment'
          : prefer === undefined
            ? '--prefer profile takes what was deployed last, --prefer records what is active now'
            : 'leave one of these targets out of the infrastructure, and add --partial',
    })
  }
  if (prefer === undefined) return
  for (const one of contradictions) {
    report(say('contradiction-settled', { text: contradictionText(one), preference: prefer }))
  }
}

function leaveOut(
  { missing }: Reconstruction,
  { partial, report }: Pick<ReconstructionOptions, 'partial' | 'report'>,
): void {
  const [first] = missing
  if (first === undefined) return
  if (!partial) {
    throw new DavitError('incomplete-deployment', 'services need others of which no target tells', {
      diagnostics: missing.map(({ service, needs }) => ({
        severity: 'error',
        message: `'${service}' needs ${needs.service} in container '${needs.container}' on '${needs.target}'`,
      })),
      hint: 'add missing targets to the infrastructure, or leave these inter-dependencies out with --partial',
    })
  }
  for (const { service, needs } of missing) {
    report(say('reference-left-out', { service, key: needs.service, target: needs.target }))
  }
}
