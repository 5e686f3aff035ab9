import { DavitError, type Report } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import type { Preference, RecordedService, TargetAccount } from '@davit/recovery'
import {
  allTargets,
  type CurrentProfile,
  type DamagedRecord,
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

import { damagedRecordsError, unreadableError, unreadableProfile } from './failures.ts'
import { withInstalled } from './installed.ts'
import { say } from './messages.ts'
import { originalAccount, targetOf } from './originals.ts'

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
  const read = new Map((await Promise.all(groups.map((group) => readMachine(group, terms)))).flat())
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
    told: new Map(known.map(({ account, told }) => [account.target, told])),
    behindClients: new Set([...targets.values()].flatMap(({ name, machine }) => (machine.client ? [name] : []))),
  }
}

interface ReadTarget {
  readonly account: TargetAccount
  readonly isEmpty: boolean
  readonly profiles: readonly ProfileName[]
  readonly original: OriginalDeployment | undefined
  readonly originalProfiles: readonly ProfileName[]
  readonly told: readonly ToldProfile[]
}

type Outcome = ReadTarget | DavitError

function failureOf(name: TargetName, outcome: Outcome | undefined): readonly [TargetName, DavitError][] {
  return outcome instanceof DavitError ? [[name, outcome]] : []
}

async function readMachine(group: MachineTargets, terms: ReadingTerms): Promise<readonly [TargetName, Outcome][]> {
  const { machine } = group[0]
  const names = group.map(({ name }) => name)
  try {
    const [observation, profiles] = await Promise.all([
      observeMachine(machine, terms.profile),
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

interface Told {
  readonly observation: Observation
  readonly profile: CurrentProfile | undefined
  readonly original: OriginalDeployment | undefined
  readonly runs: readonly ToldProfile[]
}

function readTarget(target: TargetName, told: Told, terms: ReadingTerms): Outcome {
  const { observation, original } = told
  const damaged = observation.damaged.filter((one) => one.target === target)
  const known = {
    profiles: [...observation.profiles, ...observation.foreign.map((one) => one.profile)],
    original,
    originalProfiles: observation.originals.map((one) => one.profile),
    told: told.runs,
  }
  if (original !== undefined) {
    const isReplaced = terms.originals === 'replace'
    if (damaged.length > 0 && !isReplaced) return damagedRecordsError(damaged)
    const recorded = isReplaced ? [] : intactRecords(target, observation, terms)
    return { ...known, account: originalAccount(original, target, recorded), isEmpty: false }
  }
  const profile = told.profile
  if (profile?.isLocked) terms.report(say('deployment-locked', { target }))
  const refused = refusalOf(profile, damaged, terms)
  if (refused !== undefined) return refused
  if (profile?.problem !== undefined) {
    terms.report(say('profile-unreadable', { target, reason: profile.problem.message }))
  }
  const records = [...intactRecords(target, observation, terms), ...salvagedRecords(profile, damaged, terms)]
  const isEmpty = profile === undefined && records.length === 0 && damaged.length === 0
  return { ...known, account: { target, profile: readableProfile(profile), records }, isEmpty }
}

/** Why what a target tells does not suffice; undefined if it does. */
function refusalOf(
  profile: CurrentProfile | undefined,
  damaged: readonly DamagedRecord[],
  { prefer, partial }: ReadingTerms,
): DavitError | undefined {
  if (profile?.problem !== undefined && prefer !== 'records') return unreadableProfile(profile.problem)
  if (partial || (prefer === 'profile' && profile !== undefined)) return undefined
  const unknown = damaged.filter((one) => recordFromProfile(profile, one) === undefined)
  return unknown.length === 0 ? undefined : damagedRecordsError(unknown)
}

function readableProfile(profile: CurrentProfile | undefined): TargetAccount['profile'] {
  return profile?.path === undefined ? undefined : { path: profile.path, manifest: profile.manifest }
}

function intactRecords(
  target: TargetName,
  observation: Observation,
  { report }: ReadingTerms,
): readonly RecordedService[] {
  const records = observation.records.filter(({ mapping }) => mapping.target === target)
  for (const { state, service } of records) {
    if (state !== 'active') report(say('service-unsettled', { target, service: service.name, state }))
  }
  return records
    .filter(({ state }) => state === 'active')
    .map(({ mapping, service, component }) => ({ mapping, service, component }))
}

function salvagedRecords(
  profile: CurrentProfile | undefined,
  damaged: readonly DamagedRecord[],
  { report }: ReadingTerms,
): readonly RecordedService[] {
  return damaged.flatMap((one) => {
    const { target, container, key, problem } = one
    const record = recordFromProfile(profile, one)
    const code = record === undefined ? 'record-left-out' : 'record-unreadable'
    report(say(code, { target, container, key, problem }))
    return record === undefined ? [] : [record]
  })
}

/** A damaged record says that its service is there; what it is, only the profile can tell. */
function recordFromProfile(
  profile: CurrentProfile | undefined,
  { container, key }: DamagedRecord,
): RecordedService | undefined {
  const manifest = profile?.manifest
  const isIt = (mapping: { readonly service: string; readonly container: string }) =>
    mapping.service === key && mapping.container === container
  const placed = manifest?.serviceMappings.find(isIt)
  const service = manifest?.services.get(key)
  if (placed === undefined || service === undefined) return undefined
  const { position: _, ...mapping } = placed
  return { mapping, service, component: manifest?.snapshotMappings.find(isIt)?.component }
}

/** Reports targets that the machine was once called, and that the infrastructure does not have. */
function reportOthers({ records }: Observation, names: readonly TargetName[], { report }: ReadingTerms): void {
  const [target] = names
  if (target === undefined) return
  const others = new Set(records.map(({ mapping }) => mapping.target).filter((name) => !names.includes(name)))
  for (const other of others) report(say('other-target', { target, other }))
}
