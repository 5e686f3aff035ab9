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

/** Reads the current profiles of targets of one machine; targets that have none are left out. */
export async function readProfiles(
  machine: Machine,
  profile: ProfileName,
  targets: readonly TargetName[],
): Promise<ReadonlyMap<TargetName, CurrentProfile>> {
  const lines = await machine.request('read_profiles', [profile, ...targets])
  const [target] = targets
  if (lines.length === 0 && machine.client !== undefined && target !== undefined)
    return clientProfile(machine, { target, profile })
  return new Map(
    lines.map((line): [TargetName, CurrentProfile] => {
      const [, lock, name = '', path = '', text = ''] = LINE.exec(line) ?? []
      const target = targets.find((one) => one === name)
      if (target === undefined) throw badAnswer(machine.address)
      return [target, { isLocked: lock === 'locked', ...currentProfile(target, path, text) }]
    }),
  )
}

/** Asks a client executable for a profile that was not set from here, where Disnix has it if it is used as root. */
async function clientProfile(
  machine: Machine,
  { target, profile }: LockPlace,
): Promise<ReadonlyMap<TargetName, CurrentProfile>> {
  const manifest = await readInstalled(machine, { target, profile })
  if (manifest === undefined) return new Map()
  const closure = (await machine.client?.call('query-requisites', [`/nix/var/nix/profiles/disnix/${profile}`])) ?? []
  const path = parseStorePath(closure.at(-1) ?? '')
  if (path === undefined) throw badAnswer(machine.address)
  return new Map([[target, { path, manifest, isLocked: false, problem: undefined }]])
}

const LINE = /^profile (locked|free) (\S+) ([0-9a-f]+|-) ([0-9a-f]+|[-=!+])$/

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
