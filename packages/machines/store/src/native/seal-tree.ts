import { normalizeTree } from './normalize-tree.ts'
import { setTimes } from './package-times.ts'
import { digestTree, type TreeDigest } from './tree-digest.ts'

/** Gives a tree that is not in its place yet the permissions and times of packages, and digests it. */
export async function sealTree(tree: string, visit?: (chunk: Uint8Array) => void): Promise<TreeDigest> {
  normalizeTree(tree)
  const digest = await digestTree(tree, visit)
  setTimes(tree, digest.contentHash)
  return digest
}
