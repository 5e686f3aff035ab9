import * as v from 'valibot'
import { storeDirectory, type StorePath } from './ids.ts'
import * as spell from './xml/spelling.ts'

export const storeReference = v.object({
  kind: v.picklist(['native', 'nix']),
  /** The same path on every machine of the deployment. */
  directory: storeDirectory,
})
export type StoreReference = v.InferOutput<typeof storeReference>

export const storeReferenceXml = spell.record({ directory: spell.text, kind: spell.text })

const HASH = /^[0-9a-z]{32}-/

/** Returns the name of the component that a package contains: the last part of its path, without the hash. */
export function componentIn(pkg: string): string {
  return pkg.slice(pkg.lastIndexOf('/') + 1).replace(HASH, '')
}

const NIX_STORE = '/nix/store'
const NATIVE_STORE = '/var/lib/davit/store'

/** Returns the store that contains a path; the default store if there is no path. */
export function storeOf(path: StorePath | undefined): StoreReference {
  const directory = path?.slice(0, path.lastIndexOf('/')) ?? NATIVE_STORE
  return { kind: directory === NIX_STORE ? 'nix' : 'native', directory }
}
