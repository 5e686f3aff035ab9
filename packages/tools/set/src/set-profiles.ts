import { lostOn } from '@davit/deployment-lock'
import type { Report } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import { type ProfileToSet, setProfile, type ShellTarget } from '@davit/target'

import { say } from './messages.ts'

interface SetOptions {
  readonly profile: ProfileName
  readonly token: string
  readonly report: Report
  /** `reuse` returns a target to a generation of its own with the profile, if it has one. */
  readonly generations: ProfileToSet['generations']
}

/** Sets the profiles of all targets at the same time; tries every target, then throws the first failure. */
export async function setProfiles(
  manifest: Manifest,
  targets: readonly ShellTarget[],
  options: SetOptions,
): Promise<void> {
  const { store } = manifest
  const results = await Promise.allSettled(
    targets.map(async ({ name, machine }) => {
      const path = manifest.profiles.get(name)
      if (path === undefined) return
      const { report, ...how } = options
      const set = await setProfile(machine, { ...how, target: name, path, store }).catch((error: unknown) => {
        throw lostOn({ target: name, profile: how.profile }, error)
      })
      if (set === 'unchanged') report(say('profile-unchanged', { target: name }))
      else report(say('profile-set', { target: name, generation: set.generation }))
    }),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
