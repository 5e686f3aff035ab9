import { badAnswer } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'
import { listComponents, type Component, type SnapshotStore } from './snapshot-store.ts'

export interface CleanOptions {
  /** Number of generations of each component to keep, the latest ones. */
  readonly keep: number
  readonly mode: 'remove' | 'dry-run'
}

export interface CleanedComponent extends Component {
  readonly generations: number
  /** Bytes of the snapshots that no generation refers to any more. */
  readonly bytes: number
}

/** Removes old generations of the components for which `isChosen`, and the snapshots that only these refer to. */
export async function cleanSnapshots(
  store: SnapshotStore,
  isChosen: (component: Component) => boolean,
  { keep, mode }: CleanOptions,
): Promise<readonly CleanedComponent[]> {
  const cleaned: CleanedComponent[] = []
  for (const { container, component } of (await listComponents(store)).filter(isChosen)) {
    const options = mode === 'dry-run' ? ['--dry-run'] : []
    const { machine, place } = store
    // One after the other, since each holds the store.
    // The snapshots of a machine behind a client executable are there as well, with a number of generations of their own.
    // oxlint-disable-next-line no-await-in-loop
    if (mode === 'remove') await cleanByClient(machine, { container, component }, keep)
    // oxlint-disable-next-line no-await-in-loop
    const lines = await machine.request('clean_snapshots', [place, String(keep), container, component, ...options])
    const { generations, snapshots, bytes } = totalsOf(lines, machine)
    if (generations + snapshots === 0) continue
    cleaned.push({ container, component, generations, bytes })
  }
  return cleaned
}

interface Totals {
  readonly generations: number
  readonly snapshots: number
  readonly bytes: number
}

/** Adds up what a machine has removed: it says that in parts. */
function totalsOf(lines: readonly string[], { address }: Pick<Machine, 'address'>): Totals {
  const totals = { generations: 0, snapshots: 0, bytes: 0 }
  for (const line of lines) {
    const [, generations, snapshots, bytes] = REMOVED.exec(line) ?? []
    if (generations !== undefined) totals.generations += Number(generations)
    else if (snapshots === undefined) throw badAnswer(address)
    totals.snapshots += Number(snapshots ?? 0)
    totals.bytes += Number(bytes ?? 0)
  }
  return totals
}

const REMOVED = /^(?:removed (\d{1,9})|freed (\d{1,9}) (\d{1,15}))$/

async function cleanByClient(
  { client }: Machine<'state'>,
  { container, component }: Component,
  keep: number,
): Promise<void> {
  await client?.call('clean-snapshots', ['--keep', String(keep), '--container', container, '--component', component])
}
