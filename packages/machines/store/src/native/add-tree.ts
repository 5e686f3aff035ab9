import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StorePath } from '@davit/documents'
import { fileChunks, walkTree } from '@davit/files'
import type { Staged } from './committer.ts'
import type { Registration } from './registration.ts'
import { sealTree } from './seal-tree.ts'
import { storePathOf } from './store-path.ts'

export interface StagedTree {
  readonly name: string
  readonly references: readonly StorePath[]
}

/** Prepares a tree on the file system of the store to be committed, under a path named by its content. */
export async function stageTree(storeDirectory: string, tree: string, options: StagedTree): Promise<Staged> {
  const digest = await sealTree(tree)
  const path = contentPathOf(storeDirectory, options.name, digest.contentHash)
  const references = [...new Set(options.references)].toSorted()
  const registration: Registration = { path, ...digest, references }
  return { tree, registration }
}

export function contentPathOf(storeDirectory: string, name: string, contentHash: string): StorePath {
  return storePathOf(storeDirectory, { kind: 'content', name, digest: contentHash })
}

/** Copies a tree: names, contents, links and the executable bit. */
export function copyTree(from: string, to: string): void {
  for (const entry of walkTree(from)) {
    const path = join(to, entry.path)
    if (entry.kind === 'directory') mkdirSync(path)
    else if (entry.kind === 'symlink') symlinkSync(entry.target, path)
    else writeChunks(path, fileChunks(join(from, entry.path), entry.size), entry.executable ? 0o555 : 0o444)
  }
}

function writeChunks(path: string, chunks: Iterable<Uint8Array>, mode: number): void {
  const file = openSync(path, 'wx', mode)
  try {
    for (const chunk of chunks) writeFileSync(file, chunk)
  } finally {
    closeSync(file)
  }
}
