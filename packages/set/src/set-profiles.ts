import type { Report } from '@davit/diagnostics'
import type { Manifest, ProfileName } from '@davit/documents'
import { setProfile, type ShellTarget } from '@davit/target'

interface SetOptions {
  readonly profile: ProfileName
  readonly token: string
  readonly report: Report
}

/** On all targets at once; every one is tried, the first failure is thrown. */
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
      const { profile, token, report } = options
      const set = await setProfile(machine, { target: name, profile, token, path, store })
      const message = set === 'unchanged' ? 'the profile is the same' : `generation ${set.generation} of the profile`
      report({ kind: set === 'unchanged' ? 'detail' : 'note', target: name, message })
    }),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
