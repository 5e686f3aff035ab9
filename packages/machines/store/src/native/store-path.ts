import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type { StorePath } from '@davit/documents'
import { encodeBase32 } from './base32.ts'

/** What names a path: the content of its tree, the text of a derivation, or the identity of an output. */
export type StorePathKind = 'content' | 'derivation' | 'output'

export interface StorePathIdentity {
  readonly kind: StorePathKind
  readonly name: string
  /** Digest of what `kind` says, in any notation. */
  readonly digest: string
}

const DIGEST_BYTES = 20
const HASH_CHARACTERS = 32

/** Makes a store path. The store directory is part of the identity, since packages contain their own path. */
export function storePathOf(storeDirectory: string, { kind, name, digest }: StorePathIdentity): StorePath {
  const identity = JSON.stringify(['davit', kind, storeDirectory, name, digest])
  const bytes = createHash('sha256').update(identity).digest().subarray(0, DIGEST_BYTES)
  return `${storeDirectory}/${encodeBase32(bytes)}-${name}` as StorePath
}

/** Returns the 32 characters by which a reference is recognised. */
export function hashPartOf(path: StorePath): string {
  return basename(path).slice(0, HASH_CHARACTERS)
}

/** Returns the name of a package: what follows the hash. */
export function packageNameOf(path: StorePath): string {
  return basename(path).slice(HASH_CHARACTERS + 1)
}
