import { messages, note, renderBytes, warning } from '@davit/diagnostics'

export const say = messages({
  /** No service of the manifest has state that moves with it. Set `deployState` in the services model. */
  'no-deploy-state': note({}, () => "no service of the manifest has 'deployState', so there is nothing to do"),
  /** No state has moved between the two manifests. */
  'no-state-moved': note({}, () => 'no state has moved between the two manifests, so there is nothing to do'),
  /** There are no snapshots that match. */
  'no-snapshots': note({}, () => 'there are no such snapshots'),
  /** The snapshots of a target, there or here, cannot be listed. The others are; the exit status shows that some are missing. */
  'snapshots-unknown': warning(
    { target: 'prefix', where: 'text', reason: 'text' },
    ({ where, reason }) => `cannot list the snapshots ${where}: ${reason}`,
  ),
  /** Snapshots of a component were copied. */
  'snapshots-copied': note(
    { container: 'text', component: 'text', side: 'text', snapshots: 'number', bytes: 'number' },
    ({ container, component, side, snapshots, bytes }) =>
      `copied ${snapshots === 1 ? '1 snapshot' : `${snapshots} snapshots`} of ${container}/${component} to ${side} (${renderBytes(bytes)})`,
  ),
  /** What was found or done in a store of snapshots. */
  'store-says': note({ line: 'text' }, ({ line }) => line),
  /** The other side has the snapshots already. */
  'snapshots-are-there': note(
    { container: 'text', component: 'text', side: 'text' },
    ({ container, component, side }) => `nothing to copy: ${side} has what there is of ${container}/${component}`,
  ),
  /** Old snapshots of a component were removed, or what was left of some. */
  'snapshots-removed': note(
    { container: 'text', component: 'text', where: 'text', generations: 'number', bytes: 'number' },
    (removed) => `removed ${removedText(removed)}`,
  ),
})

export interface RemovedSnapshots {
  readonly container: string
  readonly component: string
  readonly where: string
  readonly generations: number
  readonly bytes: number
}

/** `2 snapshots of box/db on t1 (12 kB)` */
export function removedText({ container, component, where, generations, bytes }: RemovedSnapshots): string {
  const what = generations === 0 ? 'what was left' : `${generations} ${generations === 1 ? 'snapshot' : 'snapshots'}`
  return `${what} of ${container}/${component} ${where} (${renderBytes(bytes)})`
}
