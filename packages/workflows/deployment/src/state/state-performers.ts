import { DavitError, hasCode, type Report } from '@davit/diagnostics'
import type { Manifest, MappingId, ProfileName } from '@davit/documents'
import {
  commonCompressor,
  findKept,
  keptStore,
  keptStores,
  reportDamage,
  sendKept,
  type StateMachines,
  storeOf,
  transferState,
} from '@davit/state-runner'
import {
  type ActivityDefinition,
  type ActivityResult,
  definitionOf,
  type DirectSsh,
  listSnapshots,
  performStateActivity,
  readStateMark,
  replaceState,
  type ShellTarget,
  type SnapshotStore,
  WHATEVER_IS_THERE,
} from '@davit/target'
import {
  identityOf,
  type Restoring,
  type Snapshotting,
  type StatefulService,
  targetLabelOf,
  type Transfer,
} from '@davit/transition'

import { say } from '../messages.ts'

/** What performing activities on state needs. */
export interface StateScene {
  readonly machines: StateMachines
  readonly profile: ProfileName
  readonly token: string
  readonly timeoutSeconds?: number | undefined
  readonly report: Report
  readonly signal: AbortSignal
  readonly next: Manifest
  readonly previous: Manifest | undefined
  readonly recorded: ReadonlyMap<MappingId, ActivityDefinition | undefined>
  /** Mappings that the plan activates. */
  readonly activated: ReadonlySet<MappingId>
  readonly places: ReadonlyMap<string, ShellTarget>
  readonly direct?: DirectSsh | undefined
  /** The snapshot to restore for each mapping, once it is on its machine. */
  readonly arrived: Map<MappingId, string>
  /** Mappings of which nothing was left, which has been told. */
  readonly missing: Set<MappingId>
}

const SUCCEEDED = { kind: 'succeeded' } as const

export async function takeSnapshot(activity: Snapshotting, scene: StateScene): Promise<ActivityResult> {
  const { machine, ...request } = await requestFor(activity, scene)
  const definition = await definitionToSave(activity, scene)
  // A service that served before its state moved with it has left no marker.
  const snapshot = scene.recorded.has(identityOf(activity)) ? WHATEVER_IS_THERE : undefined
  const result = await performStateActivity(machine, { ...request, activity: 'snapshot', definition, snapshot })
  reportDamage(result, request.mapping, scene.report)
  if (result.kind !== 'no-state') return result
  scene.missing.add(identityOf(activity))
  scene.report(say('state-missing', { target: request.mapping.target, service: activity.service.name }))
  return SUCCEEDED
}

/** How the service uses its state or, if it has no record any more, used it last. */
export async function definitionToSave(activity: Snapshotting, scene: StateScene): Promise<ActivityDefinition> {
  const recorded = scene.recorded.get(identityOf(activity))
  if (recorded !== undefined) return recorded
  const place = placeOf(activity, scene)
  const component = { target: place.name, ...componentOf(activity) }
  const { definition } = await readStateMark(await scene.machines.on(place), component)
  return definition ?? definitionBefore(activity, scene)
}

export async function restoreSnapshot(activity: Restoring, scene: StateScene): Promise<ActivityResult> {
  const snapshot = scene.arrived.get(identityOf(activity))
  // Its module has nothing to keep.
  if (snapshot === undefined) return SUCCEEDED
  if (activity.snapshot !== undefined) await bringAgain(activity, activity.snapshot, scene)
  const { machine, ...request } = await requestFor(activity, scene)
  const result = await replaceState(machine, { ...request, snapshot, definition: definitionToRestore(activity, scene) })
  reportDamage(result, request.mapping, scene.report)
  return result
}

/** A service that goes on, since only its state is missing, has the settings with which it was activated. */
export function definitionToRestore(
  activity: Restoring,
  { next, recorded, activated }: StateScene,
): ActivityDefinition {
  const active = activated.has(identityOf(activity)) ? undefined : recorded.get(identityOf(activity))
  return active ?? definitionOf(next, activity.mapping)
}

/** Sends what an earlier run has brought there once more, as far as it is damaged or gone, from wherever it is intact. */
async function bringAgain(to: Restoring, name: string, scene: StateScene): Promise<void> {
  const { machines, profile, places } = scene
  const there = await destination(to, scene)
  const stores = [
    ...keptStores(await machines.here(), profile).map(({ store }) => store),
    ...(await Promise.all([...places.values()].map((place) => storeOf(machines, place)))),
  ]
  for (const store of stores) {
    // If it is intact where it is to be restored, nothing travels. One store after the other, as the first one is enough.
    // oxlint-disable-next-line no-await-in-loop
    if (await isSentFrom(store, { to: there, name }, scene)) return
  }
}

interface Resending {
  readonly to: Awaited<ReturnType<typeof destination>>
  readonly name: string
}

async function isSentFrom(store: SnapshotStore, { to, name }: Resending, scene: StateScene): Promise<boolean> {
  if (store.place === to.store.place && store.machine.address === to.store.machine.address) return false
  const snapshot = (await listSnapshots(store)).findLast((one) => one.name === name)
  if (snapshot === undefined) return false
  try {
    await sendKept({ store, snapshot }, to, scene)
    return true
  } catch (error) {
    if (!(error instanceof DavitError) || error.code === 'lock-lost') throw error
    return false
  }
}

/** Can always be tried again, so that it has failed even if a connection is lost. */
export async function transferSnapshot(activity: Transfer, scene: StateScene): Promise<ActivityResult> {
  try {
    const name = await transferred(activity, scene)
    if (name !== undefined && activity.to !== undefined) scene.arrived.set(identityOf(activity.to), name)
    return SUCCEEDED
  } catch (error) {
    if (hasCode(error, 'lock-lost')) throw error
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error), log: '' }
  }
}

async function transferred(activity: Transfer, scene: StateScene): Promise<string | undefined> {
  const { machines, profile, signal, direct, report } = scene
  const to = activity.to === undefined ? undefined : await destination(activity.to, scene)
  if (activity.isKept) {
    const found = await findKept(machines, profile, componentOf(activity))
    if (found === undefined || to === undefined) return undefined
    await sendKept(found, to, scene)
    return found.snapshot.name
  }
  const place = placeOf(activity, scene)
  const [from, kept] = await Promise.all([storeOf(machines, place), keptStore(machines, profile, place.name)])
  const found = await transferState({ component: componentOf(activity), from, kept, to, signal, direct, report })
  if (found === undefined && !scene.missing.has(identityOf(activity)))
    report(say('state-not-kept', { target: place.name, service: activity.service.name }))
  return found?.name
}

async function destination(to: StatefulService, scene: StateScene) {
  return { ...componentOf(to), store: await storeOf(scene.machines, placeOf(to, scene)) }
}

/** What activities on the state of a service have in common, and the machine that carries them out. */
async function requestFor(stateful: StatefulService, scene: StateScene) {
  const { machines, profile, token, timeoutSeconds } = scene
  const place = placeOf(stateful, scene)
  const [machine, here] = await Promise.all([machines.on(place), machines.here()])
  const others = [...scene.places.values()].map((one) => one.machine)
  const mapping = { ...stateful.mapping, target: place.name, component: stateful.component }
  return { machine, profile, token, timeoutSeconds, mapping, compressor: commonCompressor([machine, here, ...others]) }
}

/** How the service was activated, according to the last generation, as there is no record any more. */
function definitionBefore({ mapping, service }: Snapshotting, { previous, next }: StateScene): ActivityDefinition {
  if (previous !== undefined) return definitionOf(previous, mapping)
  return {
    service,
    module: `${next.profiles.get(mapping.target) ?? ''}/modules/${service.type}`,
    properties: new Map(),
  }
}

function placeOf(stateful: StatefulService, { places }: StateScene): ShellTarget {
  const target = targetLabelOf(stateful)
  const place = places.get(target)
  if (place === undefined) throw new DavitError('no-target', `target '${target}' is not in the infrastructure`)
  return place
}

function componentOf({ mapping, component }: Pick<StatefulService, 'mapping' | 'component'>) {
  return { container: mapping.container, component }
}
