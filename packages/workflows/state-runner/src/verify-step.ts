import { DavitError, ExitStatus } from '@davit/diagnostics'
import type { Manifest, ServiceMapping, TargetName } from '@davit/documents'
import {
  type ActivityDefinition,
  containerPropertiesOf,
  copySnapshot,
  definitionOf,
  discardAside,
  findSnapshot,
  noteVerified,
  moduleOf,
  type ShellTarget,
  type Snapshot,
  type SnapshotStore,
  storeAside,
  type Verification,
  verifySnapshot,
} from '@davit/target'
import type { StatefulService } from '@davit/transition'

import { say } from './messages.ts'
import { definitionOn, moduleMissing, withModuleOn } from './perform-on.ts'
import { componentOf, named, placeIn, type StateScene, storesOf } from './scene.ts'
import type { StateStep, StepOutcome } from './task.ts'

export interface VerifyTerms {
  /** Target that loads the snapshots; by default each is loaded on its own. */
  readonly on: TargetName | undefined
}

/** Plans to load the latest snapshot of a service aside, to compare it, and to note what was found. */
export function verifyStep(stateful: StatefulService, scene: StateScene, { on }: VerifyTerms): StateStep {
  const at = on ?? stateful.mapping.target
  return {
    kind: 'verify',
    text: `verify the latest snapshot of ${named(stateful)}`,
    where: `on ${at}`,
    at,
    run: () => verify(stateful, at, scene),
  }
}

async function verify(stateful: StatefulService, at: TargetName, scene: StateScene): Promise<StepOutcome> {
  const { there, kept } = await storesOf(scene, stateful.mapping.target)
  const { snapshot, isOwn } = await latestFor(stateful, at, { there, kept })
  if (snapshot === undefined) return unverifiable('there is no snapshot of it')
  if (!scene.places.has(at)) return unverifiable(`'${at}' was not reached`)
  const place = placeIn(scene, at)
  const isElsewhere = at !== stateful.mapping.target
  const definition = await (isElsewhere ? definitionAt : definitionOn)(place, stateful, scene)
  if (definition === undefined) return unverifiable(isElsewhere ? noModule(stateful, at) : moduleMissing(stateful))
  const call = { stateful, place, definition, scene, snapshot }
  const result = isOwn ? await verifyOn(call) : await verifyAside(call, kept)
  return concluded(call, result, [there, kept])
}

/** Notes what was found, and says it. */
async function concluded(
  { stateful, place, snapshot, scene }: VerifyCall,
  result: Verification,
  stores: readonly SnapshotStore[],
): Promise<StepOutcome> {
  if (result.kind === 'unknown') return unverifiable(result.message, result.log)
  const how = result.kind === 'verified' ? result.how : 'failed'
  for (const store of stores) await noteVerified(store, snapshot, { how, target: place.name })
  if (result.kind !== 'verified') return failed(`it is not verified: ${result.message}`, result.log)
  const code = result.how === 'loaded' ? 'snapshot-loaded' : 'snapshot-compared'
  const name = snapshot.name.slice(0, 12)
  scene.report(say(code, { service: stateful.service.name, target: place.name, snapshot: name }))
  return { kind: 'succeeded' }
}

interface Stores {
  readonly there: SnapshotStore
  readonly kept: SnapshotStore
}

/** What its target has; on another target, or if it has nothing any more, what the coordinator keeps of it. */
async function latestFor(stateful: StatefulService, at: TargetName, { there, kept }: Stores) {
  const component = componentOf(stateful)
  const own = at === stateful.mapping.target ? await findSnapshot(there, component) : undefined
  return { isOwn: own !== undefined, snapshot: own ?? (await findSnapshot(kept, component)) }
}

function noModule({ service }: StatefulService, at: TargetName): string {
  return `'${at}' has no module '${service.type}', which comes with a service of that type`
}

interface VerifyCall {
  readonly stateful: StatefulService
  /** Where it is loaded. */
  readonly place: ShellTarget
  readonly definition: ActivityDefinition
  readonly snapshot: Snapshot
  readonly scene: StateScene
}

async function verifyOn(call: VerifyCall, aside?: string): Promise<Verification> {
  const { stateful, place, definition, snapshot, scene } = call
  const { profile, token, timeoutSeconds } = scene
  const mapping = { ...stateful.mapping, target: place.name, component: stateful.component }
  const request = { profile, token, timeoutSeconds, mapping, definition, compressor: 'none' as const }
  return verifySnapshot(await scene.machines.on(place), { ...request, snapshot: snapshot.name, aside })
}

/** Brings the snapshot to a store that nobody else uses, in which it becomes the latest of no service. */
async function verifyAside(call: VerifyCall, kept: SnapshotStore): Promise<Verification> {
  const { stateful, place, snapshot, scene } = call
  const { profile, signal } = scene
  const origin = { profile, from: stateful.mapping.target, ...componentOf(stateful) }
  const store = storeAside(await scene.machines.on(place), place.name, origin)
  try {
    await copySnapshot(kept, [{ store }], { snapshot, signal })
    return await verifyOn(call, store.name)
  } finally {
    await discardAside(store, place.name)
  }
}

/** How the service would be defined on another target; undefined if its module is not there. */
async function definitionAt(
  place: ShellTarget,
  { mapping, service, component }: StatefulService,
  scene: StateScene,
): Promise<ActivityDefinition | undefined> {
  const { name: at } = place
  const manifest = [...scene.others, scene.manifest].find(({ infrastructure }) => infrastructure.has(at))
  const moved = manifest && mappingAt(manifest, mapping, at)
  if (manifest === undefined || moved === undefined) throw lacksContainer(mapping.container, at)
  const { module: own } = definitionOf(scene.manifest, mapping)
  const services = new Map([...scene.manifest.services, ...manifest.services, [mapping.service, service]])
  const described = { ...manifest, services }
  const hasProfile = manifest.profiles.has(at)
  const definition: ActivityDefinition = {
    service,
    component,
    ...containerPropertiesOf(described, moved),
    module: hasProfile ? moduleOf(described, moved, service.type) : own,
  }
  return withModuleOn(place, definition, { scene, type: service.type, modules: [own] })
}

/** The mapping of a service on another target, to the container of the same name there; undefined if there is none. */
function mappingAt(
  { infrastructure, serviceMappings, services }: Manifest,
  { service, container }: ServiceMapping,
  target: TargetName,
): ServiceMapping | undefined {
  if (infrastructure.get(target)?.containers.has(container) === true) return { service, target, container }
  const provider = serviceMappings.find(
    (one) => one.target === target && services.get(one.service)?.providesContainers.has(container) === true,
  )
  return provider && { service, target, container, containerProvidedByService: provider.service }
}

/** Refuses a target that lacks the container of a service, which could not be loaded there. */
export function requireContainers(services: readonly StatefulService[], manifest: Manifest, at: TargetName): void {
  const lacking = services.find(({ mapping }) => mappingAt(manifest, mapping, at) === undefined)
  if (lacking !== undefined) throw lacksContainer(lacking.mapping.container, at, lacking.service.name)
}

function lacksContainer(container: string, at: TargetName, service?: string): DavitError {
  const purpose = service === undefined ? '' : `, in which a snapshot of '${service}' could be loaded`
  return new DavitError('usage', `'${at}' has no container '${container}'${purpose}`, {
    exitStatus: ExitStatus.usage,
    hint: 'name a target that has one, or select other services with -S or -c',
  })
}

function unverifiable(message: string, log?: string): StepOutcome {
  return failed(`it cannot be verified: ${message}`, log)
}

function failed(message: string, log?: string): StepOutcome {
  return log === undefined ? { kind: 'failed', message } : { kind: 'failed', message, log }
}
