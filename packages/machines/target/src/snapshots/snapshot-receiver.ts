import { randomBytes } from 'node:crypto'

import { encodeField, type TransferPlace } from '@davit/target-runtime'

import { fromHexadecimal } from '../helper/answer-lines.ts'
import { type Component, factFields, type Snapshot, type SnapshotStore } from './snapshot-store.ts'

export interface SnapshotCopy {
  readonly store: SnapshotStore
  /** The component there, if it has another name. */
  readonly as?: Component
  /** Is told the names of snapshots there that were damaged, and moved aside. */
  readonly onDamaged?: (names: readonly string[]) => void
}

/** A snapshot in the store from which it is copied. */
export interface SnapshotSource {
  readonly snapshot: Snapshot
  readonly directory: string
  /** Names of its files in the directory. */
  readonly files: readonly string[]
}

/** Returns the names of the files of a snapshot, and where they are. */
export async function sourceOf(
  { machine, place }: SnapshotStore,
  snapshot: Snapshot,
  how?: 'verify',
): Promise<SnapshotSource> {
  const { container, component, name } = snapshot
  const verify = how === undefined ? [] : [how]
  const lines = await machine.request('snapshot_files', [place, container, component, name, ...verify])
  const told = (fact: string) =>
    lines.filter((line) => line.startsWith(`${fact} `)).map((line) => line.slice(fact.length + 1))
  return { snapshot, directory: fromHexadecimal(told('directory')[0]), files: told('file') }
}

/** A store that gets a snapshot. */
export interface Receiver {
  readonly store: SnapshotStore
  /** Container, component and name of the snapshot there. */
  readonly whole: readonly [container: string, component: string, name: string]
  readonly transfer: string
  /** Files that it lacks. */
  readonly missing: readonly string[]
}

/** Finds out what stores lack of a snapshot. */
export async function receiversFor(
  copies: readonly SnapshotCopy[],
  source: SnapshotSource,
): Promise<readonly Receiver[]> {
  return Promise.all(copies.map((copy) => receiverFor(copy, source)))
}

/** Makes a snapshot the latest one of stores, once `send` has sent what they lack; whatever fails, nothing of it stays there. */
export async function receive<Sent>(
  receivers: readonly Receiver[],
  source: SnapshotSource,
  send: () => Promise<Sent>,
): Promise<Sent> {
  try {
    const sent = await send()
    await Promise.all(receivers.map((receiver) => commit(receiver, source)))
    return sent
  } catch (error) {
    await Promise.all(receivers.map(discard))
    throw error
  }
}

/** Returns what a receiver lacks as names for tar. Modules of Dysnomia choose the names of files. */
export function missingNames({ missing }: Receiver): readonly string[] {
  return missing.map((file) => `./${file}`)
}

/** Where a store takes in what it lacks. */
export function incomingPlace({ store: { machine, place }, transfer: name }: Receiver): TransferPlace {
  const incoming = `${machine.facts.stateDirectory}/${place}/dysnomia/incoming`
  return { incoming, name, owner: machine.facts.helper }
}

async function receiverFor(
  { store, as, onDamaged }: SnapshotCopy,
  { snapshot, files }: SnapshotSource,
): Promise<Receiver> {
  const { container, component } = as ?? snapshot
  const whole = [container, component, snapshot.name] as const
  const lacking = await store.machine.request('snapshot_missing', [store.place, ...whole, ...files.map(encodeField)])
  const damaged = lacking.filter((line) => line.startsWith('damaged ')).map((line) => line.slice('damaged '.length))
  if (damaged.length > 0) onDamaged?.(damaged)
  const said = new Set(lacking)
  const missing = said.has('whole') ? [] : files.filter((file) => said.has(`missing ${file}`))
  return { store, whole, transfer: `transfer.${randomBytes(12).toString('hex')}`, missing }
}

/** Makes a snapshot the latest one, once all its files are there; verifies those that have just arrived. */
async function commit({ store, whole, transfer }: Receiver, { snapshot, files }: SnapshotSource): Promise<void> {
  const facts = factFields(snapshot.facts).map((word, index) => (index % 2 === 0 ? word : encodeField(word)))
  await store.machine.request('snapshot_commit', [
    store.place,
    transfer,
    ...whole,
    ...facts,
    'files',
    ...files.map(encodeField),
  ])
}

/** Discards what has arrived. If this fails, the next transfer cleans up. */
async function discard({ store, transfer }: Receiver): Promise<void> {
  await store.machine.request('snapshot_discard', [store.place, transfer]).catch(() => {})
}
