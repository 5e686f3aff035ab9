import type { Report } from '@davit/diagnostics'
import type { Component, DirectSsh, Snapshot, SnapshotCopy, SnapshotStore } from '@davit/target'
import { copySnapshot, findSnapshot, sendDirectly } from '@davit/target'

import { damageIn } from './damage.ts'
import { say } from './messages.ts'
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
  /** With it, the snapshot goes directly to `to` if that is possible, and is not kept. */
  readonly direct?: DirectSsh | undefined
  readonly report: Report
}

/** Brings the latest snapshot of a component to the coordinator, and at the same time on; returns undefined if there is none. */
export async function transferState({
  component,
  from,
  kept,
  to,
  ...terms
}: StateTransfer): Promise<TransferredState | undefined> {
  const { signal, report } = terms
  const snapshot = await findSnapshot(from, component)
  if (snapshot === undefined) return undefined
  if (to !== undefined && (await isSentDirectly({ from, to, snapshot }, terms)))
    return { name: snapshot.name, bytes: 0 }
  const here = { store: kept, onDamaged: damageIn(kept, component.component, report) }
  const copies = [here, ...(to === undefined ? [] : [copyTo(to, report)])]
  const bytes = await copySnapshot(from, copies, { snapshot, signal })
  return { name: snapshot.name, bytes }
}

interface DirectTransfer extends Pick<StateTransfer, 'from'> {
  readonly to: Destination
  readonly snapshot: Snapshot
}

/** Sends a snapshot without the coordinator, if that is wanted and both ends are other machines; says why if it does not work. */
async function isSentDirectly(
  { from, to, snapshot }: DirectTransfer,
  { direct, signal, report }: Pick<StateTransfer, 'direct' | 'signal' | 'report'>,
): Promise<boolean> {
  const machines = [from.machine, to.store.machine]
  if (direct === undefined || machines.some(isHere) || from.machine === to.store.machine) return false
  const reason = await sendDirectly(from, copyTo(to, report), { snapshot, direct, signal })
  if (reason === undefined) return true
  const [source = '', target = ''] = machines.map(({ address }) => address)
  report(say('not-direct', { component: snapshot.component, source, target, reason }))
  return false
}

/** Whether snapshots of a machine are kept on the coordinator. */
function isHere({ address, client }: SnapshotStore['machine']): boolean {
  return address === 'local' || client !== undefined
}

/** Sends a snapshot that the coordinator keeps; returns the number of bytes that travelled. */
export async function sendKept(
  { store, snapshot }: KeptSnapshot,
  to: Destination,
  { signal, report }: Pick<StateTransfer, 'signal' | 'report'>,
): Promise<number> {
  signal.throwIfAborted()
  return copySnapshot(store, [copyTo(to, report)], { snapshot, signal })
}

function copyTo({ store, container, component }: Destination, report: Report): SnapshotCopy {
  return { store, as: { container, component }, onDamaged: damageIn(store, component, report) }
}
