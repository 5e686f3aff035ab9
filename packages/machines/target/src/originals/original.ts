import { parseStorePath, type ProfileName, type StorePath, type TargetName } from '@davit/documents'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import { type CurrentProfile, profileManifestIn } from '../read-profiles.ts'

/** A deployment of Disnix on a machine that davit has not adopted. */
export interface OriginalDeployment {
  readonly profile: ProfileName
  readonly path: StorePath
  /** Whether Disnix holds its lock, or has left it. */
  readonly isLocked: boolean
  /** Its profile manifest, in hexadecimal, as the machine has sent it. */
  readonly manifest: string
}

const LINE = /^original (locked|free) ([A-Za-z0-9_][\w.+-]{0,199}) ([0-9a-f]+) ([0-9a-f]+|[-=!+~])$/

export function originalIn(line: string): OriginalDeployment | undefined {
  const [, lock, profile, hexadecimal, manifest = ''] = LINE.exec(line) ?? []
  const path = parseStorePath(fromHexadecimal(hexadecimal))
  if (profile === undefined || path === undefined) return undefined
  return { profile: profile as ProfileName, path, isLocked: lock === 'locked', manifest }
}

/** Returns the profile of a deployment of Disnix, as that of a target. */
export function originalProfile({ path, isLocked, manifest }: OriginalDeployment, target: TargetName): CurrentProfile {
  return { path, isLocked, ...profileManifestIn(manifest, target, path) }
}
