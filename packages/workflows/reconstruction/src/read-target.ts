import { DavitError } from '@davit/diagnostics'
import type { ProfileName, TargetName } from '@davit/documents'
import type { RecordedService, TargetAccount } from '@davit/recovery'
import type { CurrentProfile, DamagedRecord, Observation, OriginalDeployment, ToldProfile } from '@davit/target'
import { isSettled } from '@davit/target-runtime'

import { damagedRecordsError, unreadableProfile } from './failures.ts'
import { say } from './messages.ts'
import { originalAccount } from './originals.ts'
import type { ReadingTerms } from './read-accounts.ts'

/** What a target has of a deployment. */
export interface ReadTarget {
  readonly account: TargetAccount
  readonly isEmpty: boolean
  readonly profiles: readonly ProfileName[]
  readonly original: OriginalDeployment | undefined
  readonly originalProfiles: readonly ProfileName[]
  readonly originalLock: string | undefined
  readonly told: readonly ToldProfile[]
}

/** What a target and its machine tell. */
export interface Told {
  readonly observation: Observation
  readonly profile: CurrentProfile | undefined
  readonly original: OriginalDeployment | undefined
  readonly runs: readonly ToldProfile[]
}

/** Makes sense of what a target tells, or returns why that does not suffice. */
export function readTarget(target: TargetName, told: Told, terms: ReadingTerms): ReadTarget | DavitError {
  const { observation, original } = told
  const known = {
    profiles: [...observation.profiles, ...observation.foreign.map((one) => one.profile)],
    original,
    originalProfiles: observation.originals.map((one) => one.profile),
    originalLock: observation.originalLock,
    told: told.runs,
  }
  const read =
    original === undefined ? readOwn(target, told, terms) : readOriginal(target, { observation, original }, terms)
  return read instanceof DavitError ? read : { ...known, ...read }
}

type Read = Pick<ReadTarget, 'account' | 'isEmpty'>

/** Takes a deployment of Disnix for what is on a target. */
function readOriginal(
  target: TargetName,
  { observation, original }: Pick<Told, 'observation'> & { readonly original: OriginalDeployment },
  terms: ReadingTerms,
): Read | DavitError {
  const isReplaced = terms.originals === 'replace'
  const damaged = damagedOn(target, observation)
  if (damaged.length > 0 && !isReplaced)
    return damagedRecordsError(damaged, 'nothing was done; --replace puts these records aside, and makes them anew')
  const recorded = isReplaced ? [] : intactRecords(target, observation, terms)
  return { account: originalAccount(original, target, recorded), isEmpty: false }
}

function damagedOn(target: TargetName, { damaged }: Observation): readonly DamagedRecord[] {
  return damaged.filter((one) => one.target === target)
}

function readOwn(target: TargetName, { observation, profile }: Told, terms: ReadingTerms): Read | DavitError {
  const damaged = damagedOn(target, observation)
  if (profile?.isLocked) terms.report(say('deployment-locked', { target }))
  const refused = refusalOf(profile, damaged, terms)
  if (refused !== undefined) return refused
  if (profile?.problem !== undefined) {
    terms.report(say('profile-unreadable', { target, reason: profile.problem.message }))
  }
  const records = [...intactRecords(target, observation, terms), ...salvagedRecords(profile, damaged, terms)]
  const isEmpty = profile === undefined && records.length === 0 && damaged.length === 0
  return { account: { target, profile: readableProfile(profile), records }, isEmpty }
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
    if (!isSettled(state)) report(say('service-unsettled', { target, service: service.name, state }))
  }
  return records
    .filter(({ state }) => isSettled(state))
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
