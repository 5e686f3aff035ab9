import { DavitError } from '@davit/diagnostics'
import {
  parseDocument,
  parseStorePath,
  ProfileManifest,
  type ProfileName,
  type StorePath,
  type TargetName,
} from '@davit/documents'

import { readInstalled } from './client/installed.ts'
import { badAnswer, fromHexadecimal } from './helper/answer-lines.ts'
import type { LockPlace } from './lock.ts'
import type { Machine } from './machine.ts'

/** The current profile of a target, as the machine has it. */
export interface CurrentProfile {
  /** Undefined if the links of the profile do not lead to a path in a store. */
  readonly path: StorePath | undefined
  /** Whether somebody holds a lock there, or has left one. */
  readonly isLocked: boolean
  readonly manifest: ProfileManifest | undefined
  /** Why there is no profile manifest. */
  readonly problem: DavitError | undefined
}

/** What a run told a target before it began. */
export interface ToldProfile extends Omit<CurrentProfile, 'isLocked' | 'path'> {
  readonly path: StorePath
  /** Number of the run's lock there; later runs have higher ones. */
  readonly number: number
  /** How many targets were to be told. */
  readonly targets: number
  /** Token of the run's lock, the same on all targets. */
  readonly token: string
  /** Whether another profile was the current one then. */
  readonly isNew: boolean
}

export interface TargetProfiles {
  /** Targets that have no current profile are left out. */
  readonly current: ReadonlyMap<TargetName, CurrentProfile>
  /** What runs wanted that have not ended well, and perhaps the last one that has. */
  readonly told: ReadonlyMap<TargetName, readonly ToldProfile[]>
}

/** Reads the profiles of targets of one machine. */
export async function readProfiles(
  machine: Machine,
  profile: ProfileName,
  targets: readonly TargetName[],
): Promise<TargetProfiles> {
  return profilesFrom(await machine.request('read_profiles', [profile, ...targets]), machine, { profile, targets })
}

type Reader = Pick<Machine, 'address' | 'client'>

/** Parses what the operation `read_profiles` tells. */
export async function profilesFrom(
  lines: readonly string[],
  machine: Reader,
  { profile, targets }: { readonly profile: ProfileName; readonly targets: readonly TargetName[] },
): Promise<TargetProfiles> {
  const read = profilesIn(lines, machine, targets)
  const [only] = targets
  if (read.current.size > 0 || machine.client === undefined || only === undefined) return read
  return { ...read, current: await clientProfile(machine, { target: only, profile }) }
}

function profilesIn(
  lines: readonly string[],
  machine: Pick<Machine, 'address'>,
  targets: readonly TargetName[],
): TargetProfiles {
  const current = new Map<TargetName, CurrentProfile>()
  const told = new Map<TargetName, ToldProfile[]>()
  for (const line of lines) {
    const groups = groupsIn(line)
    const target = targets.find((one) => one === groups['name'])
    if (target === undefined) throw badAnswer(machine.address)
    const described = profileIn(groups, target, current.get(target))
    if (groups['kind'] === undefined) current.set(target, { isLocked: groups['lock'] === 'locked', ...described })
    else told.set(target, [...(told.get(target) ?? []), toldProfile(groups, described)])
  }
  return { current, told }
}

/** Asks a client executable for a profile that was not set from here, where Disnix has it if it is used as root. */
async function clientProfile(
  machine: Reader,
  { target, profile }: LockPlace,
): Promise<ReadonlyMap<TargetName, CurrentProfile>> {
  const manifest = await readInstalled(machine, { target, profile })
  if (manifest === undefined) return new Map()
  const closure = (await machine.client?.call('query-requisites', [`/nix/var/nix/profiles/disnix/${profile}`])) ?? []
  const path = parseStorePath(closure.at(-1) ?? '')
  if (path === undefined) throw badAnswer(machine.address)
  return new Map([[target, { path, manifest, isLocked: false, problem: undefined }]])
}

type Groups = Readonly<Record<string, string>>

function groupsIn(line: string): Groups {
  return CURRENT.exec(line)?.groups ?? TOLD.exec(line)?.groups ?? {}
}

function profileIn({ path = '', text = '' }: Groups, target: TargetName, now: CurrentProfile | undefined) {
  return text === '*' && now !== undefined ? now : currentProfile(target, path, text)
}

const CURRENT = /^profile (?<lock>locked|free) (?<name>\S+) (?<path>[0-9a-f]+|-) (?<text>[0-9a-f]+|[-=!+])$/
const TOLD =
  /^wanted (?<name>\S+) (?<kind>next|same)\.(?<targets>[1-9]\d{0,5})\.(?<token>[\w-]{1,200})\.(?<number>[1-9]\d{0,14}) (?<path>[0-9a-f]+) (?<text>[0-9a-f]+|[-=!+*])$/

function toldProfile(
  { kind, number, targets, token = '' }: Groups,
  { path, manifest, problem }: Omit<CurrentProfile, 'isLocked'>,
): ToldProfile {
  const run = { number: Number(number), targets: Number(targets), token, isNew: kind === 'next' }
  return { ...run, path: path ?? ('' as StorePath), manifest, problem }
}

function currentProfile(target: TargetName, hexadecimal: string, text: string): Omit<CurrentProfile, 'isLocked'> {
  const path = parseStorePath(fromHexadecimal(hexadecimal))
  if (path !== undefined) return { path, ...profileManifestIn(text, target, path) }
  return { path, ...failed(`the current profile of '${target}' leads to no path in a store`) }
}

type ManifestOrProblem = Pick<CurrentProfile, 'manifest' | 'problem'>

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['-', 'does not exist'],
  ['=', 'is empty'],
  ['!', 'cannot be read'],
  ['+', 'is too large to be a profile manifest'],
  ['~', 'was not read: the profiles of Disnix on the machine are too large together'],
])

/** Parses a profile manifest as a machine sends it: in hexadecimal, or a sign that there is none. */
export function profileManifestIn(text: string, target: TargetName, path: StorePath): ManifestOrProblem {
  const file = `${target}:${path}/profilemanifest.xml`
  const problem = PROBLEMS.get(text)
  if (problem !== undefined) return failed(`${file} ${problem}`)
  try {
    const manifest = parseDocument(ProfileManifest.on(target), fromHexadecimal(text), { file })
    const other = foreignIn(manifest, target)
    return other === undefined ? { manifest, problem: undefined } : failed(`${file} belongs to '${other}'`)
  } catch (error) {
    if (error instanceof DavitError) return { manifest: undefined, problem: error }
    throw error
  }
}

/** Returns another target that a profile manifest speaks for, as if it had been copied from there. */
function foreignIn({ serviceMappings, snapshotMappings }: ProfileManifest, target: TargetName): TargetName | undefined {
  return [...serviceMappings, ...snapshotMappings].map((mapping) => mapping.target).find((one) => one !== target)
}

function failed(message: string): ManifestOrProblem {
  return { manifest: undefined, problem: new DavitError('bad-profile', message) }
}
