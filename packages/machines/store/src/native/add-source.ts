import { realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { checkPackageName, packageNameFor } from '../package-name.ts'
import { sizeLimitIn } from '../size-limit.ts'
import { sourceError } from '../source-error.ts'
import { checkSourceSize } from '../source-size.ts'
import { contentPathOf, copyTree, stageTree } from './add-tree.ts'
import type { Staged } from './committer.ts'
import { isContentValid } from './own-content.ts'
import type { StoreContext } from './store-context.ts'
import { digestTree, type TreeDigest } from './tree-digest.ts'

export interface SourceOptions {
  readonly name?: string
  readonly sizeLimitBytes?: number
}

/** Directories and files that are copied into the store, each examined once. */
export interface Sources {
  /** Returns the path of a source, which is valid once the staged trees are committed. */
  add(path: string, options?: SourceOptions): Promise<StorePath>
  staged(): readonly Staged[]
}

export function collectSources({ layout, registry, environment }: StoreContext, workspace: string): Sources {
  const digests = new Map<string, Promise<TreeDigest>>()
  const paths = new Map<string, Promise<StorePath>>()
  const staged: Staged[] = []
  /** Lowest limits against which sources were checked. */
  const lowest = new Map<string, number>()

  const copy = async (origin: string, name: string): Promise<StorePath> => {
    const { contentHash } = await remembered(digests, origin, () => digestTree(origin))
    const path = contentPathOf(layout.directory, name, contentHash)
    if (isContentValid({ registry }, { path, contentHash, references: [] })) return path
    const tree = join(workspace, `source-${staged.length}`)
    copyTree(origin, tree)
    // Named by the copy, since the origin may have changed in the meantime.
    const copied = await stageTree(layout.directory, tree, { name, references: [] })
    staged.push(copied)
    return copied.registration.path
  }

  return {
    async add(path, { name = packageNameFor(basename(path)), sizeLimitBytes } = {}) {
      const limit = sizeLimitIn(environment, sizeLimitBytes)
      checkPackageName(name)
      try {
        const origin = realpathSync(path)
        if (`${realpathSync(layout.directory)}/`.startsWith(`${origin}/`)) throw containsStore(path, layout.directory)
        if (!(Number(lowest.get(origin)) <= limit)) checkSourceSize(path, origin, limit)
        lowest.set(origin, Math.min(limit, lowest.get(origin) ?? limit))
        return await remembered(paths, JSON.stringify([origin, name]), () => copy(origin, name))
      } catch (cause) {
        throw sourceError(path, cause)
      }
    },
    staged: () => staged,
  }
}

async function remembered<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  find: () => Promise<Value>,
): Promise<Value> {
  const existing = known.get(key)
  if (existing !== undefined) return existing
  const found = find()
  known.set(key, found)
  return found
}

function containsStore(path: string, storeDirectory: string): DavitError {
  return new DavitError('bad-source', `the source '${path}' contains the store '${storeDirectory}'`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'name a directory that contains only what the package needs, or another store with DAVIT_STORE_DIR',
  })
}
