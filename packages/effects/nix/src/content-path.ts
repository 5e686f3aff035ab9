import { createHash } from 'node:crypto'
import type { StorePath } from '@davit/documents'
import { type PackageTree, encodeArchive } from './archive.ts'
import { nixBase32 } from './base32.ts'
import type { PathInfo } from './path-info.ts'

/** A package that davit makes, named by its content. */
export interface ContentPackage {
  readonly name: string
  readonly tree: PackageTree
  /** Other paths that occur in it; the tree is not searched for them. */
  readonly references: readonly StorePath[]
}

export interface ContentPath extends PathInfo {
  readonly archive: Uint8Array
}

const PATH_DIGEST_BYTES = 20

/** Path of a tree in a Nix store, with all that the store needs to make it valid. No signature is needed. */
export function contentPath(storeDirectory: string, { name, tree, references: all }: ContentPackage): ContentPath {
  const archive = encodeArchive(tree)
  const references = [...new Set(all)].sort()
  const digest = createHash('sha256').update(archive).digest()
  const type = ['source', ...references].join(':')
  const fingerprint = `${type}:sha256:${digest.toString('hex')}:${storeDirectory}:${name}`
  const hash = nixBase32(folded(createHash('sha256').update(fingerprint).digest(), PATH_DIGEST_BYTES))
  const narHash = `sha256:${nixBase32(digest)}`
  return {
    path: `${storeDirectory}/${hash}-${name}` as StorePath,
    references,
    narSize: archive.length,
    narHash,
    contentAddress: `fixed:r:${narHash}`,
    signatures: [],
    archive,
  }
}

/** Shortens a digest as Nix does: the rest is XORed onto the beginning. */
function folded(digest: Uint8Array, length: number): Uint8Array {
  const short = new Uint8Array(length)
  for (const [index, byte] of digest.entries()) short[index % length] = (short[index % length] ?? 0) ^ byte
  return short
}
