import { createHash } from 'node:crypto'
import type { StorePath } from '@davit/documents'
import { type PackageTree, encodeArchive } from './archive.ts'
import { nixBase32 } from './base32.ts'
import type { PathInfo } from './path-info.ts'

/** Something that is made by us and named by its content. */
export interface ContentPackage {
  readonly name: string
  readonly tree: PackageTree
  /** Other paths that occur in it; not found by themselves. */
  readonly references: readonly StorePath[]
}

export interface ContentPath extends PathInfo {
  readonly archive: Uint8Array
}

const PATH_DIGEST_BYTES = 20

/** Which path a tree has in a Nix store, and all that the store wants to know to make it valid. No signature is needed. */
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

/** As Nix shortens digests: what is too much is laid over the beginning. */
function folded(digest: Uint8Array, length: number): Uint8Array {
  const short = new Uint8Array(length)
  for (const [index, byte] of digest.entries()) short[index % length] = (short[index % length] ?? 0) ^ byte
  return short
}
