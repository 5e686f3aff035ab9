import {
  type ActivityDefinition,
  definitionOf,
  findModules,
  type ModuleReference,
  performStateActivity,
  profileModuleOf,
  readStateMark,
  replaceState,
  type ShellTarget,
  type StateRequest,
} from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { recordOf, type RecordsByState, recordsByState } from './active-records.ts'
import { reportDamage } from './damage.ts'
import { componentOf, placeIn, type StateScene } from './scene.ts'
import { commonCompressor } from './stores.ts'
import type { StepOutcome } from './task.ts'

interface Performing {
  readonly scene: StateScene
  readonly snapshot?: string
}

/** Calls the module of a service for its state, with the settings with which the service uses it or, if it is not active, used it last. */
export async function performOn(
  activity: StateRequest['activity'],
  stateful: StatefulService,
  { scene, snapshot }: Performing,
): Promise<StepOutcome> {
  const { machines, profile, token, timeoutSeconds, places } = scene
  const place = placeIn(scene, stateful.mapping.target)
  const definition = await definitionOn(place, stateful, scene)
  if (definition === undefined) return { kind: 'failed', message: moduleMissing(stateful) }
  const [machine, here] = await Promise.all([machines.on(place), machines.here()])
  const compressor = commonCompressor([machine, here, ...[...places.values()].map((one) => one.machine)])
  const mapping = { ...stateful.mapping, component: stateful.component }
  const request = { profile, token, timeoutSeconds, mapping, definition, compressor }
  const isSaved = activity === 'restore' && snapshot !== undefined && scene.discards !== true
  const result = isSaved
    ? await replaceState(machine, { ...request, snapshot })
    : await performStateActivity(machine, { ...request, activity, snapshot })
  reportDamage(result, mapping, scene.report)
  if (result.kind === 'no-state') return { kind: 'failed', message: stateMissing(stateful) }
  if (result.kind === 'not-begun') return { kind: 'failed', message: `it could not begin: ${result.message}` }
  return result
}

const firstRecords = new WeakMap<StateScene['places'], Promise<RecordsByState>>()

/** Records as they are when the first activity begins: those that follow change no settings. */
async function recordsAtFirst(scene: StateScene): Promise<RecordsByState> {
  const known = firstRecords.get(scene.places) ?? recordsByState(scene)
  firstRecords.set(scene.places, known)
  return known
}

/** Returns how the service is defined, with a module that is on the target; undefined if there is none. */
export async function definitionOn(
  place: ShellTarget,
  stateful: StatefulService,
  scene: StateScene,
): Promise<ActivityDefinition | undefined> {
  const described = definitionOf(scene.manifest, stateful.mapping)
  const used = recordOf(await recordsAtFirst(scene), stateful)?.definition ?? (await lastUse(stateful, scene))
  return withModuleOn(place, used ?? described, { scene, type: stateful.service.type, modules: [described.module] })
}

interface ModuleSearch {
  readonly scene: Pick<StateScene, 'others'>
  readonly type: string
  /** To be tried before those of other manifests. */
  readonly modules: readonly ModuleReference[]
}

/** Returns a definition with a module that is on the target; undefined if there is none. */
export async function withModuleOn(
  { machine, name }: ShellTarget,
  definition: ActivityDefinition,
  { scene, type, modules: known }: ModuleSearch,
): Promise<ActivityDefinition | undefined> {
  const ofOthers = scene.others.flatMap((other) => profileModuleOf(other, name, type) ?? [])
  const modules = [definition.module, ...known, ...ofOthers]
  const found = await findModules(machine, modules)
  const module = modules.find((one) => found.has(one))
  return module === undefined ? undefined : { ...definition, module }
}

/** How a service that is not active any more used its state. */
async function lastUse(stateful: StatefulService, scene: StateScene): Promise<ActivityDefinition | undefined> {
  const { target } = stateful.mapping
  const machine = await scene.machines.on(placeIn(scene, target))
  return (await readStateMark(machine, { target, ...componentOf(stateful) })).definition
}

function stateMissing({ mapping }: StatefulService): string {
  return `'${mapping.target}' knows nothing of its state: it was deleted, or was never there, or the disk is new`
}

export function moduleMissing({ service, mapping }: StatefulService): string {
  return `its module '${service.type}' is not on '${mapping.target}' any more: davit-distribute sends it with the manifest that has the service`
}
