import type { Component, SnapshotCopy, SnapshotStore } from '@davit/target'
import { copySnapshot, findSnapshot } from '@davit/target'

import type { KeptSnapshot } from './stores.ts'

export interface Destination extends Component {
  readonly store: SnapshotStore
}

export interface TransferredState {
  /** Name of the snapshot. */
  readonly name: string
  /** How many bytes the coordinator received and sent. */
  readonly bytes: number
}

export interface StateTransfer {
  readonly component: Component
  readonly from: SnapshotStore
  /** The coordinator's store for the target of `from`. */
  readonly kept: SnapshotStore
  /** Undefined if the snapshot only has to be kept. */
  readonly to: Destination | undefined
  readonly signal: AbortSignal
}

/** Brings the latest snapshot of a component to the coordinator, and at the same time on; returns undefined if there is none. */
export async function transferState({
  component,
  from,
  kept,
  to,
  signal,
}: StateTransfer): Promise<TransferredState | undefined> {
  const snapshot = await findSnapshot(from, component)
  if (snapshot === undefined) return undefined
  const copies = [{ store: kept }, ...(to === undefined ? [] : [copyTo(to)])]
  const bytes = await copySnapshot(from, copies, { snapshot, signal })
  return { name: snapshot.name, bytes }
}

/** Sends a snapshot that the coordinator keeps; returns the number of bytes that travelled. */
export async function sendKept(
  { store, snapshot }: KeptSnapshot,
  to: Destination,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted()
  return copySnapshot(store, [copyTo(to)], { snapshot, signal })
}

function copyTo({ store, container, component }: Destination): SnapshotCopy {
  return { store, as: { container, component } }
}
