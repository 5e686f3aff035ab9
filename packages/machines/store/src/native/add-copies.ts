import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { unpackArchive } from '@davit/files'
import { alteredElsewhere } from './alterations.ts'
import { asStoreError, MAX_ARCHIVE, missingInArchive } from './add-outputs.ts'
import { badCopy, claimedClosure, type Claims, isNamedByContent } from './claims.ts'
import type { Staged } from './committer.ts'
import { outputPathOf } from './derivation.ts'
import { readDerivation } from './derivation-writer.ts'
import { needPaths } from './needed.ts'
import { isContentValid } from './own-content.ts'
import { pathExists } from './path-exists.ts'
import type { Registration } from './registration.ts'
import { protect } from './roots.ts'
import { sealTree } from './seal-tree.ts'
import type { StoreContext } from './store-context.ts'
import { withStoreLock } from './store-lock.ts'
import { withWorkspace } from './workspace.ts'

/** Paths that are valid in the store of another machine. */
export interface CopiesElsewhere extends Claims {
  readonly signal: AbortSignal
  /** Calls `use` with one tar stream, of unknown origin, of these trees, named by the base names of their paths. */
  receive<Result>(names: readonly string[], use: (archive: Readable) => Promise<Result>): Promise<Result>
}

/**
 * Makes copies of paths, and of all that they need, valid here, and protects them; returns the registrations of those that were not. Adds
 * none unless each has the content of its registration, and this fits its name. The name of an output says nothing about its content: for
 * that, and for what a path needs, the other machine is believed, until this one knows better (see `isContentValid`).
 */
export async function addCopies(context: StoreContext, copies: CopiesElsewhere): Promise<readonly Registration[]> {
  await context.prepare()
  const missing = await context.undisturbed(async () => missingHere(context, copies))
  if (missing.length > 0) {
    await withWorkspace(context.layout, async (workspace) => {
      const directory = join(workspace, 'copies')
      const limits = { ...MAX_ARCHIVE, maxBytes: missing.reduce((sum, { size }) => sum + size, 0) }
      const names = missing.map(({ path }) => basename(path))
      await copies.receive(names, (archive) => unpackArchive(archive, directory, limits)).catch(asStoreError)
      const staged: Staged[] = []
      for (const claim of missing) staged.push(await verify(context, join(directory, basename(claim.path)), claim))
      const certain = staged.filter(({ registration: { deriver } }) => deriver === undefined)
      for (const { registration } of certain) isContentValid(context, registration)
      await commitAll(context, staged, copies.signal)
    })
  }
  await protect(context, copies.paths)
  return missing
}

/** Returns the claims of what has to be copied, and has all of the closure kept while this process lives. */
function missingHere(context: StoreContext, claims: Claims): readonly Registration[] {
  const { paths, missing } = claimedClosure(context, claims)
  needPaths(context, paths)
  return missing
}

async function verify(context: StoreContext, tree: string, claim: Registration): Promise<Staged> {
  const { path, contentHash, size, references } = claim
  if (!pathExists(tree)) throw missingInArchive(path)
  const digest = await sealTree(tree)
  if (digest.contentHash !== contentHash) throw alteredElsewhere(path)
  if (digest.size !== size) {
    throw badCopy(`'${path}' arrived with another size than its registration has`)
  }
  const sorted = [...new Set(references)].toSorted()
  if (isNamedByContent(context.layout.directory, claim)) {
    return { tree, registration: { path, contentHash, size, references: sorted } }
  }
  if (!canBeOutput(context, claim)) throw badCopy(`the content of '${path}' is not the one that its name stands for`)
  return { tree, registration: { ...claim, references: sorted } }
}

/** Whether a path may be an output. Where the derivation is here, it must be the one of this output. */
function canBeOutput(context: StoreContext, { path, deriver, system }: Registration): boolean {
  if (deriver === undefined || system === undefined) return false
  if (context.registry.find(deriver) === undefined) return true
  return outputPathOf(context.layout.directory, readDerivation(context, deriver)) === path
}

/** Outputs that are committed together, each under the lock of its builds. */
const BATCH = 32

async function commitAll(context: StoreContext, staged: readonly Staged[], signal: AbortSignal): Promise<void> {
  for (let first = 0; first < staged.length; first += BATCH) {
    signal.throwIfAborted()
    const batch = staged.slice(first, first + BATCH)
    const outputs = batch.flatMap(({ registration: { path, deriver } }) =>
      deriver === undefined ? [] : basename(path),
    )
    await withLocks(context, { names: outputs.toSorted(), signal }, () => context.commit(batch))
  }
}

interface LocksToHold {
  readonly names: readonly string[]
  readonly signal: AbortSignal
}

/** All who lock several do so in the order of names. */
async function withLocks(
  context: StoreContext,
  { names, signal }: LocksToHold,
  use: () => Promise<void>,
): Promise<void> {
  const [name, ...others] = names
  if (name === undefined) return use()
  const { layout, environment } = context
  await withStoreLock(name, { layout, environment, signal }, () => withLocks(context, { names: others, signal }, use))
}
