import { DavitError, type Report } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import type { Preference, TargetAccount } from '@davit/recovery'
import {
  allTargets,
  groupByMachine,
  type MachineTargets,
  type Observation,
  observeMachine,
  type OriginalDeployment,
  type ReachedTargets,
  readProfiles,
  type TargetProfiles,
  type ToldProfile,
} from '@davit/target'

import { unreadableError } from './failures.ts'
import { withInstalled } from './installed.ts'
import { say } from './messages.ts'
import { targetOf } from './originals.ts'
import { type ReadTarget, readTarget, type Told } from './read-target.ts'

export interface ReadingTerms {
  readonly profile: ProfileName
  /** Whether to leave out targets that cannot be read. */
  readonly partial: boolean
  /** What counts where profiles and records contradict each other: records suffice only if they are preferred. */
  readonly prefer: Preference | undefined
  /**
   * Whether a deployment of Disnix that was not adopted counts, in place of the profile of davit: together with the records of davit,
   * or in place of these too.
   */
  readonly originals: 'adopt' | 'replace' | 'ignore'
  readonly report: Report
  readonly signal: AbortSignal
}

export interface Accounts {
  readonly accounts: readonly TargetAccount[]
  /** Targets on which there is nothing of the deployment, not even anything damaged. */
  readonly empty: readonly TargetName[]
  /** Names of deployments that are on the machines. */
  readonly profiles: ReadonlySet<ProfileName>
  /** Deployments of Disnix that count. */
  readonly originals: ReadonlyMap<TargetName, OriginalDeployment>
  /** Names of all deployments of Disnix that were not adopted. */
  readonly originalProfiles: ReadonlySet<ProfileName>
  /** Locks of Disnix, which is at work on the deployment, or has left them. */
  readonly originalLocks: ReadonlyMap<TargetName, string>
  /** What runs told the targets that they want. */
  readonly told: ReadonlyMap<TargetName, readonly ToldProfile[]>
  /** Targets behind a client executable, whose accounts are those of this coordinator. */
  readonly behindClients: ReadonlySet<TargetName>
}

/** Reads what each target has of a deployment, and changes nothing. */
export async function readAccounts(reached: ReachedTargets, terms: ReadingTerms): Promise<Accounts> {
  const { targets, unreachable } = reached
  if (!terms.partial || targets.size === 0) allTargets(reached)
  const groups = groupByMachine([...targets.values()])
  const read = new Map((await Promise.all(groups.map((group) => readMachine(group, { ...terms, unreachable })))).flat())
  const failed = new Map([...targets.keys()].flatMap((name) => failureOf(name, read.get(name))))
  if (failed.size > 0 && (!terms.partial || failed.size === targets.size)) throw unreadableError(failed)
  for (const [target, { message }] of [...unreachable, ...failed]) {
    terms.report(say('target-not-read', { target, reason: message }))
  }
  const known = [...targets.keys()].flatMap((name) => {
    const one = read.get(name)
    return one === undefined || one instanceof DavitError ? [] : [one]
  })
  return {
    accounts: known.map(({ account }) => account),
    empty: known.flatMap(({ isEmpty, account }) => (isEmpty ? [account.target] : [])),
    profiles: new Set(known.flatMap(({ profiles }) => profiles)),
    originals: new Map(known.flatMap(({ account, original }) => (original ? [[account.target, original]] : []))),
    originalProfiles: new Set(known.flatMap(({ originalProfiles }) => originalProfiles)),
    originalLocks: new Map(
      known.flatMap(({ account, originalLock }) => (originalLock ? [[account.target, originalLock]] : [])),
    ),
    told: new Map(known.map(({ account, told }) => [account.target, told])),
    behindClients: new Set([...targets.values()].flatMap(({ name, machine }) => (machine.client ? [name] : []))),
  }
}

type Outcome = ReadTarget | DavitError

function failureOf(name: TargetName, outcome: Outcome | undefined): readonly [TargetName, DavitError][] {
  return outcome instanceof DavitError ? [[name, outcome]] : []
}

interface MachineTerms extends ReadingTerms {
  readonly unreachable: ReachedTargets['unreachable']
}

async function readMachine(group: MachineTargets, terms: MachineTerms): Promise<readonly [TargetName, Outcome][]> {
  const { machine } = group[0]
  const names = group.map(({ name }) => name)
  try {
    const [observation, profiles] = await Promise.all([
      observeMachine(machine, terms.profile, terms.originals === 'replace' ? 'replace' : 'known'),
      readProfiles(machine, terms.profile, names),
    ])
    reportOthers(observation, names, terms)
    const original = observation.originals.find(({ profile }) => profile === terms.profile)
    const counting = terms.originals === 'ignore' ? undefined : original
    const place = counting === undefined ? undefined : targetOf(counting, names)
    return names.map((name) => {
      const told = { observation, ...on(profiles, name), original: name === place ? counting : undefined }
      const read = readTarget(name, told, terms)
      if (read instanceof DavitError) return [name, read]
      return [name, { ...read, account: withInstalled(read.account, machine, terms) }]
    })
  } catch (error) {
    terms.signal.throwIfAborted()
    if (!(error instanceof DavitError)) throw error
    return names.map((name) => [name, error])
  }
}

function on({ current, told }: TargetProfiles, target: TargetName): Pick<Told, 'profile' | 'runs'> {
  return { profile: current.get(target), runs: told.get(target) ?? [] }
}

/** Reports targets that the machine was once called, and that are not in the infrastructure, where they may be unreachable. */
function reportOthers(
  { records }: Observation,
  names: readonly TargetName[],
  { report, unreachable }: MachineTerms,
): void {
  const [target] = names
  if (target === undefined) return
  const recorded = new Set(records.map(({ mapping }) => mapping.target))
  const others = [...recorded].filter((name) => !names.includes(name) && !unreachable.has(name))
  for (const other of others) report(say('other-target', { target, other }))
}
