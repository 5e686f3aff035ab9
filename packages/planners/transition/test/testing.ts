import { createHash } from 'node:crypto'

import type {
  ContainerName,
  Manifest,
  ManifestService,
  Mapping,
  ServiceKey,
  ServiceName,
  StorePath,
  System,
  TargetName,
} from '@davit/documents'
import * as fc from 'fast-check'

import {
  activitiesOf,
  type AnyActivity,
  factsOf,
  isEmpty,
  keptFacts,
  keptText,
  type KindTable,
  type ObservedMapping,
  remarkText,
  stepText,
  type Transition,
} from '../src/transition.ts'

/** A system in the shortest form in which tests can write one; places are `target/container`. */
export interface SystemSpec {
  readonly services: Readonly<Record<string, ServiceSpec>>
  readonly cores?: Readonly<Record<string, number>>
}

export interface ServiceSpec {
  readonly on: readonly string[]
  readonly dependsOn?: readonly string[]
  readonly version?: number
  readonly type?: string
}

/** Three services in a chain, on two targets. */
export const GUESTBOOK: SystemSpec = {
  services: {
    store: { on: ['db/process'] },
    api: { on: ['web/process'], dependsOn: ['store'] },
    page: { on: ['web/process'], dependsOn: ['api'] },
  },
}

/** Services depend on services before them; services without placement are not part of the manifest. */
export function manifestOf({ services, cores = {} }: SystemSpec): Manifest {
  const mappings = new Map<string, Mapping[]>()
  const entries: [ServiceKey, ManifestService][] = []
  for (const [name, { on, dependsOn = [], version = 1, type = 'process' }] of Object.entries(services)) {
    const identity = {
      name,
      type,
      pkg: pkgOf(name, version),
      dependsOn: dependsOn.flatMap((other) => mappings.get(other) ?? []),
    }
    const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 12) as ServiceKey
    mappings.set(
      name,
      on.map((place) => mappingAt(key, place)),
    )
    if (on.length > 0) {
      entries.push([key, { ...identity, name: name as ServiceName, connectsTo: [], providesContainers: new Map() }])
    }
  }
  const serviceMappings = [...mappings.values()].flat()
  const targets = new Set([...Object.keys(cores), ...serviceMappings.map(({ target }) => target)])
  return {
    profiles: new Map(),
    services: new Map(entries),
    infrastructure: new Map([...targets].map((target) => [target as TargetName, targetWith(cores[target] ?? 1)])),
    serviceMappings,
    snapshotMappings: [],
    store: { kind: 'native', directory: '/store' },
  }
}

export function pkgOf(name: string, version = 1): StorePath {
  return `/store/${String(version).repeat(32)}-${name}` as StorePath
}

function mappingAt(service: ServiceKey, place: string): Mapping {
  const [target, container] = place.split('/')
  return { service, target: target as TargetName, container: container as ContainerName }
}

function targetWith(numOfCores: number) {
  return {
    properties: new Map([['hostname', 'h']]),
    containers: new Map(),
    system: 'x86_64-linux' as System,
    numOfCores,
    clientInterface: 'ssh',
    targetProperty: 'hostname',
  }
}

/** Changes the state of the observed mappings of a service. */
export function withState(
  observed: readonly ObservedMapping[],
  name: string,
  change: Partial<ObservedMapping>,
): readonly ObservedMapping[] {
  return observed.map((one) => (one.service.name === name ? { ...one, ...change } : one))
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const PLACES = ['t0/process', 't0/other', 't1/process', 't2/process']

const serviceAt = (index: number): fc.Arbitrary<ServiceSpec> =>
  fc.record({
    on: fc.subarray(PLACES, { maxLength: 3 }),
    dependsOn: fc.subarray(NAMES.slice(0, index), { maxLength: Math.min(index, 3) }),
    version: fc.integer({ min: 1, max: 2 }),
    type: fc.constantFrom('process', 'process', 'wrapper'),
  })

const services = fc.tuple(...NAMES.map((_, index) => serviceAt(index)))
const cores = fc.tuple(
  ...['t0', 't1', 't2'].map((target) => fc.tuple(fc.constant(target), fc.integer({ min: 1, max: 3 }))),
)

export interface Change {
  readonly before: SystemSpec
  readonly after: SystemSpec
}

/** Two systems of the same services; about half of them are the same in both. */
export const change: fc.Arbitrary<Change> = fc
  .record({ before: services, other: services, alike: fc.tuple(...NAMES.map(() => fc.boolean())), cores })
  .map(({ before, other, alike, cores }) => {
    const after = before.map((service, index) => (alike[index] ? service : other[index]!))
    return { before: systemOf(before, cores), after: systemOf(after, cores) }
  })

function systemOf(specs: readonly ServiceSpec[], cores: readonly (readonly [string, number])[]): SystemSpec {
  return {
    services: Object.fromEntries(specs.map((spec, index) => [NAMES[index]!, spec])),
    cores: Object.fromEntries(cores),
  }
}

/** Removes a target from the infrastructure, and its services from the system. */
export function withoutTarget({ services, cores = {} }: SystemSpec, target: string): SystemSpec {
  const entries = Object.entries(services).map(([name, spec]) => {
    return [name, { ...spec, on: spec.on.filter((place) => !place.startsWith(`${target}/`)) }]
  })
  return {
    services: Object.fromEntries(entries),
    cores: Object.fromEntries(Object.entries(cores).filter(([name]) => name !== target)),
  }
}

/** Splits a transition or rollback into its deactivations and its activations. */
export function phasesOf({ phases }: Pick<Transition, 'phases'>) {
  const [deactivations = [], activations = []] = phases
  return { deactivations, activations }
}

/** Tells a plan: a line per step, each with a newline, in an order in which they can be done one by one. */
export function renderTransition<One extends AnyActivity>(transition: Transition<One>, kinds: KindTable<One>): string {
  const lines = [
    ...transition.skipped.map(remarkText),
    ...activitiesOf(transition).map((activity) => stepText(factsOf(activity, kinds))),
  ]
  if (isEmpty(transition)) lines.push('nothing to do')
  lines.push(...transition.outdated.map((outdated) => keptText(keptFacts(outdated))))
  return lines.map((line) => `${line}\n`).join('')
}
