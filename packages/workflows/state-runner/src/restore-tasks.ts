import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { type Component, listSnapshots, NOT_SAVABLE, type ObservedRecord, type Snapshot } from '@davit/target'
import { isUp } from '@davit/target-runtime'
import type { StatefulService } from '@davit/transition'

import { recordOf, type RecordsByState, RESTORES_FIRST } from './active-records.ts'
import { generationsToCopy } from './generations-to-copy.ts'
import { restoreAtRest } from './restore-at-rest.ts'
import { performOn } from './perform-on.ts'
import { componentOf, named, needsOf, type StateScene, storesOf } from './scene.ts'
import { cleaning, copyAll, describe, type MoveTerms } from './snapshot-tasks.ts'
import { keptStore } from './stores.ts'
import type { StateStep, StateTask } from './task.ts'
import { transferState } from './transfer.ts'

/** State to restore, and the kept snapshot with which to do it. */
export interface Restoration {
  readonly to: StatefulService
  /** Target on which it was taken. */
  readonly target: TargetName
  /** The component there, which may have another name. */
  readonly component: Component
  /** Undefined in a plan whose snapshot is still to be taken. */
  readonly snapshot: Snapshot | undefined
  /** Where it is now: on that target, from where it goes on directly, or by default on the coordinator. */
  readonly at?: 'target'
}

export interface RestoreTerms extends MoveTerms {
  readonly restoring: 'restore' | 'transfer-only'
  readonly records: RecordsByState
}

/** Plans to send kept snapshots to targets, and to replace the state of services there by them. */
export function restoreTasks(
  restorations: readonly Restoration[],
  scene: StateScene,
  terms: RestoreTerms,
): readonly StateTask[] {
  return restorations.map((one) => ({
    stateful: one.to,
    target: one.to.mapping.target,
    steps: [
      one.at === 'target' ? goingOn(one, scene) : sending(one, scene, terms),
      ...(terms.restoring === 'restore' ? [restoring(one, scene, terms)] : []),
      ...cleaning(one.to, scene, terms),
    ],
  }))
}

function sending(
  { to, target, component, snapshot }: Restoration,
  scene: StateScene,
  { generations }: MoveTerms,
): StateStep {
  const origin = target === to.mapping.target ? [] : [`taken on ${target}`]
  return {
    kind: 'send',
    text: `send ${generations === 'all' ? 'all snapshots' : 'the snapshot'} of ${named(to)}`,
    where: `to ${to.mapping.target}`,
    details: async () => [...(snapshot === undefined ? [] : [describe(snapshot)]), ...origin],
    async run() {
      const [from, { there }] = await Promise.all([
        keptStore(scene.machines, scene.profile, target),
        storesOf(scene, to.mapping.target),
      ])
      const as = componentOf(to)
      const [kept, before] = await Promise.all([listSnapshots(from, component), listSnapshots(there, as)])
      const others = generations === 'all' ? generationsToCopy(kept, before, 'all') : []
      // The last one that arrives is the latest, which the modules of Dysnomia restore.
      return copyAll([...others, chosen(snapshot)], { from, to: there, scene, as })
    },
  }
}

function goingOn({ to, target, component, snapshot }: Restoration, scene: StateScene): StateStep {
  const { signal, direct, report } = scene
  return {
    kind: 'send',
    text: `send the snapshot of ${named(to)}`,
    where: `from ${target} to ${to.mapping.target}`,
    details: async () => [...(snapshot === undefined ? [] : [describe(snapshot)]), 'directly if that is possible'],
    async run() {
      const [{ there: from, kept }, { there }] = await Promise.all([
        storesOf(scene, target),
        storesOf(scene, to.mapping.target),
      ])
      const destination = { ...componentOf(to), store: there }
      await transferState({ component, from, kept, to: destination, signal, direct, report })
      return { kind: 'succeeded' }
    },
  }
}

function restoring({ to, snapshot }: Restoration, scene: StateScene, { records }: RestoreTerms): StateStep {
  const record = recordOf(records, to)
  const isToRest = record !== undefined && isUp(record.state) && record.declared?.includes(RESTORES_FIRST) === true
  return {
    kind: 'restore',
    text: `restore ${named(to)}`,
    where: `on ${to.mapping.target}`,
    details: async () => (isToRest ? ['it is stopped meanwhile'] : []),
    needs: needsOf(to, scene, record?.definition),
    async run() {
      const message = obstacleTo(record, scene)
      if (message !== undefined) return { kind: 'failed', message }
      const restore = () => performOn('restore', to, { scene, snapshot: chosen(snapshot).name })
      return isToRest ? restoreAtRest(record, restore, scene) : restore()
    },
  }
}

/** Why a restoration cannot begin, so that its service need not be stopped for it. */
function obstacleTo(record: ObservedRecord | undefined, { discards }: StateScene): string | undefined {
  if (record === undefined) return undefined
  if (record.running) return STILL_RUNNING
  const isAwaited = record.toRestore !== undefined || record.declared === undefined
  return discards === true || isAwaited || record.declared.includes('snapshot') ? undefined : NOT_SAVED
}

const NOT_SAVED = `what is there now cannot be saved, so it is not replaced: ${NOT_SAVABLE}`
const STILL_RUNNING = 'an activity of this service is still running; try again when it has ended'

function chosen(snapshot: Snapshot | undefined): Snapshot {
  if (snapshot === undefined) throw new DavitError('no-snapshot', 'there is no snapshot')
  return snapshot
}
