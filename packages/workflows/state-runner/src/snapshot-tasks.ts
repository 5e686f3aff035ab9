import { renderBytes, renderTime } from '@davit/diagnostics'
import { cleanSnapshots, copySnapshot, listSnapshots, type Snapshot, type SnapshotStore } from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { damageIn } from './damage.ts'
import { generationsToCopy } from './generations-to-copy.ts'
import { say } from './messages.ts'
import { performOn } from './perform-on.ts'
import { componentOf, named, type StateScene, storesOf } from './scene.ts'
import type { StateStep, StateTask, StepOutcome } from './task.ts'
import { type VerifyTerms, verifyStep } from './verify-step.ts'
import { beginningOf } from './wanted-snapshot.ts'

/** How snapshots are moved, in either direction. */
export interface MoveTerms {
  readonly generations: 'latest' | 'all'
  /** How many generations to keep of each component, here and there; undefined if none are removed. */
  readonly keep: number | undefined
}

export interface SnapshotTerms extends MoveTerms {
  readonly taking: 'take' | 'transfer-only'
  /** Where snapshots are verified once they were taken; undefined if they are not. */
  readonly verifying?: VerifyTerms | undefined
  /** Services whose snapshots go on to another target directly, so that they are not fetched. */
  readonly goingOn?: ReadonlySet<StatefulService>
}

/** Plans to take snapshots of services, and to bring them to the coordinator. */
export function snapshotTasks(
  services: readonly StatefulService[],
  scene: StateScene,
  terms: SnapshotTerms,
): readonly StateTask[] {
  return services.map((stateful) => ({
    stateful,
    target: stateful.mapping.target,
    steps: [
      ...(terms.taking === 'take' ? [taking(stateful, scene)] : []),
      ...(terms.goingOn?.has(stateful) === true ? [] : [fetching(stateful, scene, terms)]),
      ...(terms.verifying === undefined ? [] : [verifyStep(stateful, scene, terms.verifying)]),
      ...cleaning(stateful, scene, terms),
    ],
  }))
}

function taking(stateful: StatefulService, scene: StateScene): StateStep {
  return {
    kind: 'snapshot',
    text: `take a snapshot of ${named(stateful)}`,
    where: `on ${stateful.mapping.target}`,
    run: () => performOn('snapshot', stateful, { scene }),
  }
}

function fetching(
  stateful: StatefulService,
  scene: StateScene,
  { taking: isTaken, generations }: SnapshotTerms,
): StateStep {
  const { service, mapping } = stateful
  const component = componentOf(stateful)
  return {
    kind: 'fetch',
    text: `fetch ${generations === 'all' ? 'all snapshots' : 'the snapshot'} of ${named(stateful)}`,
    where: `from ${mapping.target} to this machine`,
    async details() {
      const { there } = await storesOf(scene, mapping.target)
      const latest = (await listSnapshots(there, component)).at(-1)
      if (latest === undefined) return ['there is none yet']
      return [`latest ${isTaken === 'take' ? 'so far' : 'there'}: ${describe(latest)}`]
    },
    async run() {
      const { there, kept } = await storesOf(scene, mapping.target)
      const [found, here] = await Promise.all([listSnapshots(there, component), listSnapshots(kept, component)])
      if (found.length === 0) scene.report(say('not-snapshotted', { service: service.name, target: mapping.target }))
      return copyAll(generationsToCopy(found, here, generations), { from: there, to: kept, scene })
    },
  }
}

interface Copying {
  readonly from: SnapshotStore
  readonly to: SnapshotStore
  readonly scene: Pick<StateScene, 'signal' | 'report'>
  /** The component there, if it has another name. */
  readonly as?: ReturnType<typeof componentOf>
}

/** Copies snapshots in their order. */
export async function copyAll(snapshots: readonly Snapshot[], { from, to, scene, as }: Copying): Promise<StepOutcome> {
  const { signal, report } = scene
  let bytes = 0
  for (const snapshot of snapshots) {
    signal.throwIfAborted()
    const onDamaged = damageIn(to, (as ?? snapshot).component, report)
    const copy = { store: to, onDamaged, ...(as === undefined ? {} : { as }) }
    bytes += await copySnapshot(from, [copy], { snapshot, signal })
  }
  return { kind: 'succeeded', bytes }
}

/** Plans to remove old generations of a component on its target and on the coordinator. */
export function cleaning(stateful: StatefulService, scene: StateScene, { keep }: MoveTerms): readonly StateStep[] {
  if (keep === undefined) return []
  const { target } = stateful.mapping
  const wanted = componentOf(stateful)
  return [
    {
      kind: 'clean',
      text: `remove ${keep === 1 ? 'all snapshots but the last' : `all but the last ${keep} snapshots`} of ${named(stateful)}`,
      where: `on ${target} and here`,
      async run() {
        const { there, kept } = await storesOf(scene, target)
        const isIt = (one: typeof wanted) => one.container === wanted.container && one.component === wanted.component
        for (const store of [there, kept]) await cleanSnapshots(store, isIt, { keep, mode: 'remove' })
        return { kind: 'succeeded' }
      },
    },
  ]
}

/** A snapshot in short: `0123456789ab, 2026-11-23 02:00:00 UTC, 12 kB`. */
export function describe(snapshot: Snapshot): string {
  const { name, facts } = snapshot
  const taken = beginningOf(snapshot)
  const parts = [
    name.slice(0, 12),
    ...(taken === undefined ? [] : [renderTime(taken)]),
    ...(facts.bytes === undefined ? [] : [renderBytes(facts.bytes)]),
  ]
  return parts.join(', ')
}
