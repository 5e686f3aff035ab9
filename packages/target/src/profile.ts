import type { StorePath } from '@davit/documents'

import type { LockPlace } from './lock.ts'
import type { Machine } from './machine.ts'

export interface ProfileToSet extends LockPlace {
  readonly token: string
  readonly path: StorePath
  /** Directory of the store in which a root is kept, so that nothing that a generation needs is collected. */
  readonly roots: string
}

/** Makes a profile the current one of its target. Adds a generation only where something changed. */
export async function setProfile(
  machine: Machine,
  profile: ProfileToSet,
): Promise<'unchanged' | { readonly generation: number }> {
  const fields = [profile.target, profile.profile, profile.token, profile.path, profile.roots]
  const [answer = ''] = await machine.request('set_profile', fields)
  const number = /^generation (\d+)$/.exec(answer)?.[1]
  return number === undefined ? 'unchanged' : { generation: Number(number) }
}
