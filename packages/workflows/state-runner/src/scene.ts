import { DavitError, type Report } from '@davit/diagnostics'
import type { Manifest, ProfileName, TargetName } from '@davit/documents'
import {
  type ActivityDefinition,
  type Component,
  definitionOf,
  type DirectSsh,
  findModules,
  performStateActivity,
  profileModuleOf,
  type SecretNeed,
  type ShellTarget,
  type StateRequest,
} from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { commonCompressor, keptStore, type StateMachines, storeOf } from './stores.ts'
import type { StepOutcome } from './task.ts'

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

/** What the module of a service is called with. */
export function needsOf({ mapping }: StatefulService, { manifest }: StateScene): readonly SecretNeed[] {
  return [{ mapping, definition: definitionOf(manifest, mapping) }]
}

/** Calls the module of a service for its state. */
export async function performOn(
  activity: StateRequest['activity'],
  stateful: StatefulService,
  { scene, snapshot }: { readonly scene: StateScene; readonly snapshot?: string },
): Promise<StepOutcome> {
  const { machines, profile, token, timeoutSeconds, places } = scene
  const place = placeIn(scene, stateful.mapping.target)
  const definition = await definitionOn(place, stateful, scene)
  if (definition === undefined) return { kind: 'failed', message: moduleMissing(stateful) }
  const [machine, here] = await Promise.all([machines.on(place), machines.here()])
  const compressor = commonCompressor([machine, here, ...[...places.values()].map((one) => one.machine)])
  const mapping = { ...stateful.mapping, component: stateful.component }
  const request = { activity, profile, token, timeoutSeconds, mapping, definition, compressor, snapshot }
  const result = await performStateActivity(machine, request)
  if (result.kind === 'no-state') return { kind: 'failed', message: stateMissing(stateful) }
  if (result.kind === 'not-begun') return { kind: 'failed', message: `it could not begin: ${result.message}` }
  return result
}

/** Returns how the service is defined, with a module that is on the target; undefined if there is none. */
async function definitionOn(
  { machine }: ShellTarget,
  { mapping, service }: StatefulService,
  { manifest, others }: StateScene,
): Promise<ActivityDefinition | undefined> {
  const definition = definitionOf(manifest, mapping)
  const modules = [
    definition.module,
    ...others.flatMap((other) => profileModuleOf(other, mapping.target, service.type) ?? []),
  ]
  const found = await findModules(machine, modules)
  const module = modules.find((one) => found.has(one))
  return module === undefined ? undefined : { ...definition, module }
}

function stateMissing({ mapping }: StatefulService): string {
  return `'${mapping.target}' knows nothing of its state: it was deleted, or was never there, or the disk is new`
}

function moduleMissing({ service, mapping }: StatefulService): string {
  return `its module '${service.type}' is not on '${mapping.target}' any more: davit-distribute sends it with the manifest that has the service`
}
