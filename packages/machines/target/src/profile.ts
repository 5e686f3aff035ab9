import { createHash } from 'node:crypto'

import type { ProfileName, StorePath, StoreReference, TargetName } from '@davit/documents'
import { storeLayout } from '@davit/store'

import type { LockPlace } from './lock.ts'
import type { Machine } from './machine.ts'
import { onMachine } from './nix/errors.ts'
import { onTarget } from './helper/refused-request.ts'

export interface ProfileToSet extends LockPlace {
  readonly token: string
  readonly path: StorePath
  /** The store in which each generation is a root, so that its closure is not collected. */
  readonly store: StoreReference
  /** `add` makes a new generation unless the current one is this profile; `reuse` prefers an earlier generation of this profile. */
  readonly generations: 'add' | 'reuse'
}

/** Name of the root in a native store that keeps the generations of a profile on a target, without the mark of the account. */
export function profileRoot(target: TargetName, profile: ProfileName): string {
  const name = `profile:${target}:${profile}`
  if (name.length <= MAX_CHARACTERS) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32)
  return `${name.slice(0, MAX_CHARACTERS - hash.length - 1)}:${hash}`
}

/** Path of that root. */
export function profileRootIn(storeDirectory: string, target: TargetName, profile: ProfileName): string {
  return `${storeLayout(storeDirectory).roots}/${profileRoot(target, profile)}`
}

/** A file name has at most 255 characters, and the target appends a colon and a mark of 16 (see `roots.sh`). */
const MAX_CHARACTERS = 238

/** Makes a profile the current one of its target; resolves with the number of its generation if that changed. */
export async function setProfile(
  machine: Machine,
  profile: ProfileToSet,
): Promise<'unchanged' | { readonly generation: number }> {
  const { kind, directory } = profile.store
  const { target, profile: name } = profile
  if (machine.client !== undefined) await machine.client.call('set', ['--profile', name, profile.path])
  const root = kind === 'native' ? [profileRootIn(directory, target, name)] : []
  const fields = [target, name, profile.token, profile.path, profile.generations, kind, ...root] as const
  const [answer = ''] = await machine.request('set_profile', fields).catch((error: unknown) => {
    throw kind === 'nix' ? onMachine(machine.address, error) : onTarget(profile.target, error)
  })
  const number = /^generation (\d+)$/.exec(answer)?.[1]
  return number === undefined ? 'unchanged' : { generation: Number(number) }
}
