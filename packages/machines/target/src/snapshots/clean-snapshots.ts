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
    const generations = lines.filter((line) => line.startsWith('removed ')).length
    const freed = lines.filter((line) => line.startsWith('freed ')).map((line) => Number(line.split(' ')[2]))
    if (generations + freed.length === 0) continue
    cleaned.push({ container, component, generations, bytes: freed.reduce((sum, bytes) => sum + bytes, 0) })
  }
  return cleaned
}

async function cleanByClient(
  { client }: Machine<'state'>,
  { container, component }: Component,
  keep: number,
): Promise<void> {
  await client?.call('clean-snapshots', ['--keep', String(keep), '--container', container, '--component', component])
}
