import { DavitError, ExitStatus } from '@davit/diagnostics'
import { parseStorePath, type ProfileName, type StorePath, type TargetName } from '@davit/documents'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import { type CurrentProfile, profileManifestIn } from '../read-profiles.ts'

/** A deployment of Disnix on a machine that davit has not adopted. */
export interface OriginalDeployment {
  readonly profile: ProfileName
  readonly path: StorePath
  /** Whether Disnix holds its lock, or has left it. */
  readonly isLocked: boolean
  /** The file that is that lock. */
  readonly lock?: string | undefined
  /** Its profile manifest, in hexadecimal, as the machine has sent it. */
  readonly manifest: string
}

const LINE = /^original (free|[0-9a-f]+) ([A-Za-z0-9_][\w.+-]{0,199}) ([0-9a-f]+) ([0-9a-f]+|[-=!+~])$/

export function originalIn(line: string): OriginalDeployment | undefined {
  const [, lock, profile, hexadecimal, manifest = ''] = LINE.exec(line) ?? []
  const path = parseStorePath(fromHexadecimal(hexadecimal))
  if (profile === undefined || path === undefined) return undefined
  const isLocked = lock !== 'free'
  return {
    profile: profile as ProfileName,
    path,
    isLocked,
    lock: isLocked ? fromHexadecimal(lock) : undefined,
    manifest,
  }
}

/** Returns the profile of a deployment of Disnix, as that of a target. */
export function originalProfile({ path, isLocked, manifest }: OriginalDeployment, target: TargetName): CurrentProfile {
  return { path, isLocked, ...profileManifestIn(manifest, target, path) }
}

/** Refuses what Disnix is at work on: files that are its locks, by target. */
export function originalLocked(locks: ReadonlyMap<TargetName, string>): DavitError {
  return new DavitError('original-locked', 'Disnix is at work on this deployment, or has left its lock', {
    exitStatus: ExitStatus.locked,
    fields: { targets: [...locks.keys()] },
    diagnostics: [...locks].map(([target, lock]) => ({
      severity: 'error',
      message: `target '${target}': the lock '${lock}' is there`,
    })),
    hint: 'nothing was done; wait until it has finished, or remove the file if nobody is at work',
  })
}
