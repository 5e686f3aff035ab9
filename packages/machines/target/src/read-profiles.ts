import { DavitError } from '@davit/diagnostics'
import {
  parseDocument,
  parseStorePath,
  ProfileManifest,
  type ProfileName,
  type StorePath,
  type TargetName,
} from '@davit/documents'

import { badAnswer, fromHexadecimal } from './helper/answer-lines.ts'
import type { Machine } from './machine.ts'

/** The current profile of a target, as the machine has it. */
export interface CurrentProfile {
  readonly path: StorePath
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
  return new Map(
    lines.map((line): [TargetName, CurrentProfile] => {
      const [, lock, name = '', hexadecimal = '', text = ''] = LINE.exec(line) ?? []
      const target = targets.find((one) => one === name)
      const path = parseStorePath(fromHexadecimal(hexadecimal))
      if (target === undefined || path === undefined) throw badAnswer(machine.address)
      return [target, { path, isLocked: lock === 'locked', ...profileManifestIn(text, target, path) }]
    }),
  )
}

const LINE = /^profile (locked|free) (\S+) ([0-9a-f]+) ([0-9a-f]+|-|\+)$/

function profileManifestIn(
  text: string,
  target: TargetName,
  path: StorePath,
): Pick<CurrentProfile, 'manifest' | 'problem'> {
  const file = `${target}:${path}/profilemanifest.xml`
  const failed = (reason: string) => ({
    manifest: undefined,
    problem: new DavitError('bad-profile', `${file} ${reason}`),
  })
  if (text === '-') return failed('does not exist')
  if (text === '+') return failed('is too large to be a profile manifest')
  try {
    return { manifest: parseDocument(ProfileManifest.on(target), fromHexadecimal(text), { file }), problem: undefined }
  } catch (error) {
    if (error instanceof DavitError) return { manifest: undefined, problem: error }
    throw error
  }
}
