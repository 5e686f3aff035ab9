import type { Component, SnapshotStore } from '@davit/target'
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

/** Brings the latest snapshot of a component to the coordinator, and from there on; returns undefined if there is none. */
export async function transferState({
  component,
  from,
  kept,
  to,
  signal,
}: StateTransfer): Promise<TransferredState | undefined> {
  const snapshot = await findSnapshot(from, component)
  if (snapshot === undefined) return undefined
  const received = await copySnapshot(from, kept, { snapshot, signal })
  if (to === undefined) return { name: snapshot.name, bytes: received }
  const sent = await sendKept({ store: kept, snapshot }, to, signal)
  return { name: snapshot.name, bytes: received + sent }
}

/** Sends a snapshot that the coordinator keeps; returns the number of bytes that travelled. */
export async function sendKept(
  { store, snapshot }: KeptSnapshot,
  to: Destination,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted()
  const { container, component } = to
  return copySnapshot(store, to.store, { snapshot, signal, as: { container, component } })
}
