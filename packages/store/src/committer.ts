import { chmodSync, lstatSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { removeTree, syncDirectory, systemErrorCode } from '@davit/files'
import { sealRoot } from './normalize-tree.ts'
import type { Registration } from './registration.ts'
import type { Registry } from './registry.ts'
import type { StoreLayout } from './store-layout.ts'
import { withWorkspace } from './workspace.ts'

/** A finished tree on the file system of the store, normalized, and what is to be recorded of it. */
export interface Staged {
  /** The path itself, for a tree that was made in its place. */
  readonly tree: string
  readonly registration: Registration
}

/** Makes trees valid: content first, synced; then their places; then the records, synced; then the records count. */
export type Commit = (staged: readonly Staged[]) => Promise<void>

export interface CommitterOptions {
  readonly layout: StoreLayout
  readonly registry: Registry
  /** Makes all that was written to the file system of the store survive a loss of power. */
  sync(): Promise<void>
  /** Keeps other processes from putting trees in their places meanwhile. */
  exclusively(use: () => Promise<void>): Promise<void>
}

/** What arrives while a batch is being synced forms the next batch, so that many builds share few syncs. */
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

async function commitBatch(options: CommitterOptions, batch: readonly Staged[]): Promise<void> {
  const { layout, registry, sync, exclusively } = options
  await sync()
  await exclusively(() =>
    withWorkspace(layout, async (workspace) => {
      const fresh = batch.filter(({ registration }) => registry.find(registration.path) === undefined)
      for (const staged of fresh) place(staged, workspace)
      const registrations = fresh.map(({ registration }) => registration)
      registry.prepare(registrations, workspace)
      await sync()
      registry.publish(registrations, workspace)
      await syncDirectory(layout.registrations)
    }),
  )
}

function place({ tree, registration: { path } }: Staged, workspace: string): void {
  if (tree !== path) {
    clearPlace(path, workspace)
    renameSync(tree, path)
  }
  sealRoot(path)
}

/** What stands there without a record is rubbish: the rest of a run that was killed. */
export function clearPlace(path: string, workspace: string): void {
  try {
    if (lstatSync(path).isDirectory()) chmodSync(path, 0o755)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return
    throw error
  }
  const aside = join(workspace, `${basename(path)}.rubbish`)
  renameSync(path, aside)
  removeTree(aside)
}
