import type { StorePath, StoreReference } from '@davit/documents'
import { storeLayout } from '@davit/store'

import type { LockPlace } from './lock.ts'
import type { Machine } from './machine.ts'
import { onMachine } from './nix-errors.ts'
import { onTarget } from './refused-request.ts'

export interface ProfileToSet extends LockPlace {
  readonly token: string
  readonly path: StorePath
  /** In which each generation is a root, so that nothing that it needs is collected. */
  readonly store: StoreReference
  /** Whether a generation is added where the current one is another profile, or one that holds this profile becomes current, if any does. */
  readonly generations: 'add' | 'reuse'
}

/** Makes a profile the current one of its target. */
export async function setProfile(
  machine: Machine,
  profile: ProfileToSet,
): Promise<'unchanged' | { readonly generation: number }> {
  const { kind, directory } = profile.store
  const roots = kind === 'native' ? [storeLayout(directory).roots] : []
  const fields = [profile.target, profile.profile, profile.token, profile.path, profile.generations, kind, ...roots]
  const [answer = ''] = await machine.request('set_profile', fields).catch((error: unknown) => {
    throw kind === 'nix' ? onMachine(machine.address, error) : onTarget(profile.target, error)
  })
  const number = /^generation (\d+)$/.exec(answer)?.[1]
  return number === undefined ? 'unchanged' : { generation: Number(number) }
}
