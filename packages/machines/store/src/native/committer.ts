import { chmodSync, lstatSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { hasCode } from '@davit/diagnostics'
import type { StorePath } from '@davit/documents'
import { removeTree, syncDirectory, systemErrorCode } from '@davit/files'
import { readMark, setAside } from './altered-marks.ts'
import type { Undisturbed } from './collection-guard.ts'
import { sealRoot } from './normalize-tree.ts'
import { setTimes } from './package-times.ts'
import { pathExists } from './path-exists.ts'
import type { Registration } from './registration.ts'
import type { Registry } from './registry.ts'
import type { StoreLayout } from './store-layout.ts'
import { digestTree } from './tree-digest.ts'
import { withWorkspace } from './workspace.ts'

/** A finished, normalized tree on the file system of the store, and its registration. */
export interface Staged {
  /** Where the tree is: the path itself if it was made in place. */
  readonly tree: string
  readonly registration: Registration
}

/** Makes trees valid: syncs their contents, moves them to their places, writes and syncs their registrations, and publishes these. */
export type Commit = (staged: readonly Staged[]) => Promise<void>

export interface CommitterOptions {
  readonly layout: StoreLayout
  readonly registry: Registry
  readonly undisturbed: Undisturbed
  /** Makes trees survive a loss of power. */
  sync(trees: readonly string[]): Promise<void>
}

/** Trees that arrive while a batch is being synced form the next batch, so that many builds share few syncs. */
export function committer(options: CommitterOptions): Commit {
  let next: { readonly staged: Staged[]; readonly done: Promise<void> } | undefined
  let last: Promise<void> = Promise.resolve()
  const startBatch = () => {
    const staged: Staged[] = []
    const done = last.then(() => {
      next = undefined
      return commitBatch(options, staged)
    })
    last = done.catch(() => {})
    return { staged, done }
  }
  return async (staged) => {
    if (staged.length === 0) return
    next ??= startBatch()
    next.staged.push(...staged)
    await next.done
  }
}

async function commitBatch(
  { layout, registry, undisturbed, sync }: CommitterOptions,
  batch: readonly Staged[],
): Promise<void> {
  const unique = new Map(batch.map((staged) => [staged.registration.path, staged]))
  const fresh = [...unique.values()].filter(({ registration }) => registry.find(registration.path) === undefined)
  await sync(fresh.map(({ tree }) => tree))
  const register = async (workspace: string) => {
    for (const staged of fresh) await place(layout, staged, workspace)
    await syncDirectory(layout.directory)
    const registrations = fresh.map(({ registration }) => registration)
    registry.prepare(registrations, workspace)
    await sync([workspace])
    registry.publish(registrations, workspace)
    await syncDirectory(layout.registrations)
  }
  await undisturbed(() => withWorkspace(layout, register))
}

/**
 * Moves a tree to its place. Trees are moved whole, so an unregistered one that is there already is either equal to this
 * one, perhaps moved there by another process just now, or rubbish.
 */
async function place(layout: StoreLayout, staged: Staged, workspace: string): Promise<void> {
  const { tree, registration } = staged
  const { path, contentHash } = registration
  if (tree !== path && !(pathExists(path) && (await hasContent(path, contentHash)))) {
    clearPlace(layout, path, workspace)
    if (!renameIfFree(tree, path)) return place(layout, staged, workspace)
  }
  sealRoot(path)
}

/** Whether the tree at a path has this content. One that was altered may contain what no package can. */
async function hasContent(path: StorePath, contentHash: string): Promise<boolean> {
  try {
    if ((await digestTree(path)).contentHash !== contentHash) return false
  } catch (error) {
    if (hasCode(error, 'unusual-file') || hasCode(error, 'file-changed')) return false
    throw error
  }
  setTimes(path, contentHash)
  return true
}

function renameIfFree(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY'].includes(systemErrorCode(error) ?? '')) return false
    throw error
  }
}

/** Removes what a killed run has left in the place of a path that is not valid. What was altered is set aside; returns where it is then. */
export function clearPlace(layout: StoreLayout, path: StorePath, workspace: string): string | undefined {
  if (!pathExists(path)) return undefined
  if (readMark(layout, path) !== undefined) return setAside(layout, path)
  if (lstatSync(path).isDirectory()) chmodSync(path, 0o755)
  const aside = join(workspace, `${basename(path)}.rubbish`)
  renameSync(path, aside)
  removeTree(aside)
  return undefined
}
