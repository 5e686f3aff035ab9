import { type Component, copySnapshot, listSnapshots, type Snapshot, type SnapshotStore } from '@davit/target'

import { generationsToCopy } from './generations-to-copy.ts'

export interface SnapshotsToCopy {
  readonly from: SnapshotStore
  readonly to: SnapshotStore
  readonly component: Component
  readonly which: 'latest' | 'all'
  readonly signal: AbortSignal
}

export interface CopiedSnapshots {
  /** Oldest first. */
  readonly snapshots: readonly Snapshot[]
  /** How many bytes travelled. */
  readonly bytes: number
}

/** Copies the snapshots of a component that another store lacks; returns undefined if there are none. */
export async function copySnapshots({
  from,
  to,
  component,
  which,
  signal,
}: SnapshotsToCopy): Promise<CopiedSnapshots | undefined> {
  const [here, there] = await Promise.all([listSnapshots(from, component), listSnapshots(to, component)])
  if (here.length === 0) return undefined
  const isCurrent = here.at(-1)?.name === there.at(-1)?.name
  const snapshots = isCurrent && which === 'latest' ? [] : generationsToCopy(here, there, which)
  let bytes = 0
  for (const snapshot of snapshots) {
    signal.throwIfAborted()
    bytes += await copySnapshot(from, [{ store: to }], { snapshot, signal })
  }
  return { snapshots, bytes }
}
