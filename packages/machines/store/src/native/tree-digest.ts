import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileChunks, type TreeEntry, walkTree } from '@davit/files'
import type { PackageTree } from '@davit/nix'

export interface TreeDigest {
  readonly contentHash: string
  readonly size: number
}

/** Digests the canonical form of a tree that is read entry by entry. */
export interface TreeDigester {
  entry(entry: TreeEntry): void
  /** A part of the content of the last entry. */
  chunk(chunk: Uint8Array): void
  /** Bytes of the canonical form of these entries, with the contents that they should have. */
  size(): number
  digest(): TreeDigest
}

export function treeDigester(): TreeDigester {
  const hash = createHash('sha256')
  let size = 0
  return {
    entry(entry) {
      const header = headerOf(entry)
      hash.update(header)
      size += header.length + (entry.kind === 'file' ? entry.size : 0)
    },
    chunk: (chunk) => void hash.update(chunk),
    size: () => size,
    digest: () => ({ contentHash: `sha256:${hash.digest('hex')}`, size }),
  }
}

/** Digests the canonical form of a tree; `visit` gets all of it, in chunks. */
export async function digestTree(root: string, visit?: (chunk: Uint8Array) => void): Promise<TreeDigest> {
  const hash = createHash('sha256')
  let size = 0
  let pause = performance.now() + SLICE_MILLISECONDS
  for (const chunk of canonicalForm(root)) {
    hash.update(chunk)
    visit?.(chunk)
    size += chunk.length
    if (performance.now() > pause) {
      await setImmediate()
      pause = performance.now() + SLICE_MILLISECONDS
    }
  }
  return { contentHash: `sha256:${hash.digest('hex')}`, size }
}

/** Like `digestTree`, for a package that is not written to the disk yet. */
export function digestPackage(tree: PackageTree): TreeDigest {
  const hash = createHash('sha256')
  let size = 0
  for (const chunk of canonicalFormOf(tree)) {
    hash.update(chunk)
    size += chunk.length
  }
  return { contentHash: `sha256:${hash.digest('hex')}`, size }
}

/** Time until signals and progress get a turn: files are read synchronously, which is several times as fast for small ones. */
const SLICE_MILLISECONDS = 20

/** Yields one line of JSON for each entry, in the order of names, parents first; the content of a file follows its line. */
function* canonicalForm(root: string): Generator<Uint8Array, void, undefined> {
  for (const entry of walkTree(root)) {
    yield headerOf(entry)
    if (entry.kind === 'file') yield* fileChunks(join(root, entry.path), entry.size)
  }
}

function* canonicalFormOf(tree: PackageTree, path = ''): Generator<Uint8Array, void, undefined> {
  if (tree.kind === 'link') {
    yield headerOf({ kind: 'symlink', path, target: tree.to })
  } else if (tree.kind === 'file') {
    const content = Buffer.from(tree.content)
    yield headerOf({ kind: 'file', path, size: content.length, executable: tree.executable === true })
    yield content
  } else {
    yield headerOf({ kind: 'directory', path })
    const entries = [...tree.entries].toSorted(([one], [other]) => (one < other ? -1 : 1))
    for (const [name, entry] of entries) yield* canonicalFormOf(entry, path === '' ? name : `${path}/${name}`)
  }
}

function headerOf(entry: TreeEntry): Buffer {
  return Buffer.from(`${JSON.stringify(fieldsOf(entry))}\n`)
}

function fieldsOf(entry: TreeEntry): readonly unknown[] {
  if (entry.kind === 'symlink') return [entry.kind, entry.path, entry.target]
  if (entry.kind === 'file') return [entry.kind, entry.path, entry.executable, entry.size]
  return [entry.kind, entry.path]
}
