import { DavitError, type Report } from '@davit/diagnostics'
import type { Manifest, ProfileName, TargetName } from '@davit/documents'
import {
  type ActivityDefinition,
  type Component,
  definitionOf,
  type DirectSsh,
  type MachineNeed,
  type ShellTarget,
} from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { keptStore, type StateMachines, storeOf } from './stores.ts'

/** What tasks need to act on the state of services. */
export interface StateScene {
  readonly machines: StateMachines
  readonly profile: ProfileName
  /** Targets that were reached. */
  readonly places: ReadonlyMap<TargetName, ShellTarget>
  /** Token of the lock; undefined where none is held. */
  readonly token?: string | undefined
  readonly timeoutSeconds?: number | undefined
  /** Manifest that describes the services whose state is acted on. */
  readonly manifest: Manifest
  /** Manifests in whose profiles a module is looked for if that of `manifest` is not on a target any more. */
  readonly others: readonly Manifest[]
  /** With it, state travels from target to target where that is possible. */
  readonly direct?: DirectSsh | undefined
  /** Whether state may be lost: what a restoration replaces, which is saved before otherwise, or what is deleted and was never taken over. */
  readonly discards?: boolean | undefined
  readonly report: Report
  readonly signal: AbortSignal
}

/** A service in the words of plans: `db in mysql-database`. */
export function named({ service, mapping }: StatefulService): string {
  return `${service.name} in ${mapping.container}`
}

export function componentOf({ mapping, component }: StatefulService): Component {
  return { container: mapping.container, component }
}

export function placeIn({ places }: StateScene, target: TargetName): ShellTarget {
  const place = places.get(target)
  if (place === undefined) throw new DavitError('no-target', `target '${target}' is not in the infrastructure`)
  return place
}

/** The store of a target, and what the coordinator keeps of it. */
export async function storesOf(scene: StateScene, target: TargetName) {
  const { machines, profile } = scene
  const [there, kept] = await Promise.all([
    storeOf(machines, placeIn(scene, target)),
    keptStore(machines, profile, target),
  ])
  return { there, kept }
}

/** What the module of a service is called with, by default as the manifest describes it. */
export function needsOf(
  { mapping }: StatefulService,
  scene: StateScene,
  definition: ActivityDefinition = definitionOf(scene.manifest, mapping),
): readonly MachineNeed[] {
  return [{ mapping, definition, secrets: placeIn(scene, mapping.target).machine.secrets }]
}
