import { DavitError, type Report } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import type { RecordedService, TargetAccount } from '@davit/recovery'
import {
  allTargets,
  type CurrentProfile,
  groupByMachine,
  type MachineTargets,
  type Observation,
  observeMachine,
  type ReachedTargets,
  readProfiles,
} from '@davit/target'

import { say } from './messages.ts'

export interface ReadingTerms {
  readonly profile: ProfileName
  /** Whether to leave out targets that cannot be read. */
  readonly partial: boolean
  /** Whether records alone may tell what is on a target whose profile cannot be read. */
  readonly recordsSuffice: boolean
  readonly report: Report
  readonly signal: AbortSignal
}

export interface Accounts {
  readonly accounts: readonly TargetAccount[]
  /** Names of deployments that are on the machines. */
  readonly profiles: ReadonlySet<ProfileName>
}

/** Reads what each target has of a deployment, and changes nothing. */
export async function readAccounts(reached: ReachedTargets, terms: ReadingTerms): Promise<Accounts> {
  if (!terms.partial || reached.targets.size === 0) allTargets(reached)
  for (const [target, { message }] of reached.unreachable)
    terms.report(say('target-not-read', { target, reason: message }))
  const machines = await Promise.all(
    groupByMachine([...reached.targets.values()]).map((group) => readOrLeaveOut(group, terms)),
  )
  const read = machines.flatMap((one) => one ?? [])
  const accounts = new Map(read.flatMap((one) => one.accounts.map((account) => [account.target, account])))
  return {
    accounts: [...reached.targets.keys()].flatMap((target) => accounts.get(target) ?? []),
    profiles: new Set(read.flatMap((one) => [...one.profiles])),
  }
}

async function readOrLeaveOut(group: MachineTargets, terms: ReadingTerms): Promise<Accounts | undefined> {
  try {
    return await readMachine(group, terms)
  } catch (error) {
    terms.signal.throwIfAborted()
    if (!terms.partial || !(error instanceof DavitError)) throw error
    for (const { name } of group) terms.report(say('target-not-read', { target: name, reason: error.message }))
    return undefined
  }
}

async function readMachine(group: MachineTargets, terms: ReadingTerms): Promise<Accounts> {
  const { machine } = group[0]
  const names = group.map(({ name }) => name)
  const [observation, profiles] = await Promise.all([
    observeMachine(machine, terms.profile),
    readProfiles(machine, terms.profile, names),
  ])
  reportOthers(observation, names, terms)
  return {
    accounts: names.map((target) => accountOf(target, { observation, profile: profiles.get(target) }, terms)),
    profiles: new Set([...observation.profiles, ...observation.foreign.map(({ profile }) => profile)]),
  }
}

interface ReadTarget {
  readonly observation: Observation
  readonly profile: CurrentProfile | undefined
}

function accountOf(target: TargetName, { observation, profile }: ReadTarget, terms: ReadingTerms): TargetAccount {
  if (profile?.isLocked) terms.report(say('deployment-locked', { target }))
  if (profile?.problem !== undefined) {
    if (!terms.recordsSuffice) throw unreadableProfile(profile.problem)
    terms.report(say('profile-unreadable', { target, reason: profile.problem.message }))
  }
  return { target, profile, records: recordedOn(target, { observation, profile }, terms) }
}

function unreadableProfile(problem: DavitError): DavitError {
  return new DavitError('bad-profile', problem.message, {
    exitStatus: problem.exitStatus,
    diagnostics: problem.diagnostics,
    hint: '--prefer records takes what the records of the target say instead',
    cause: problem,
  })
}

function recordedOn(
  target: TargetName,
  { observation, profile }: ReadTarget,
  { report }: ReadingTerms,
): readonly RecordedService[] {
  const records = observation.records.filter(({ mapping }) => mapping.target === target)
  for (const { state, service } of records) {
    if (state !== 'active') report(say('service-unsettled', { target, service: service.name, state }))
  }
  const damaged = observation.damaged.filter((one) => one.target === target)
  for (const { container, key, problem } of damaged) {
    report(say('record-unreadable', { target, container, key, problem }))
  }
  return [
    ...records
      .filter(({ state }) => state === 'active')
      .map(({ mapping, service, component }) => ({ mapping, service, component })),
    ...damaged.flatMap((one) => recordFromProfile(profile, one)),
  ]
}

/** A damaged record says that its service is there; what it is, only the profile can tell. */
function recordFromProfile(
  profile: CurrentProfile | undefined,
  { container, key }: Observation['damaged'][number],
): readonly RecordedService[] {
  const manifest = profile?.manifest
  const isIt = (mapping: { readonly service: string; readonly container: string }) =>
    mapping.service === key && mapping.container === container
  const placed = manifest?.serviceMappings.find(isIt)
  const service = manifest?.services.get(key)
  if (placed === undefined || service === undefined) return []
  const { position: _, ...mapping } = placed
  return [{ mapping, service, component: manifest?.snapshotMappings.find(isIt)?.component }]
}

/** Reports targets that the machine was once called, and that the infrastructure does not have. */
function reportOthers({ records }: Observation, names: readonly TargetName[], { report }: ReadingTerms): void {
  const [target] = names
  if (target === undefined) return
  const others = new Set(records.map(({ mapping }) => mapping.target).filter((name) => !names.includes(name)))
  for (const other of others) report(say('other-target', { target, other }))
}
