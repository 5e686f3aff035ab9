import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ContainerName,
  encodeDocument,
  Manifest,
  type Mapping,
  type ServiceKey,
  type ServiceName,
  type StorePath,
  type TargetName,
} from '../../packages/documents/documents/src/documents.ts'
import { observedOf } from '../../packages/planners/transition/src/transition.ts'
import { type PlacedSystem, type SystemSize, systemOf } from './system-size.ts'

/** What the process that plans measures of itself, in milliseconds, and the size of its plan. */
export interface PlanTimes {
  readonly manifest: number
  readonly records: number
  readonly plan: number
  readonly activities: number
}

/** One service of the last tier in so many is upgraded. */
const UPGRADED = 2

/** Names of the files of a plan: the manifest to plan for, the one before it, and the records of that. */
export type PlanFiles = Readonly<Record<'next' | 'before' | 'records', string>>

/** Writes what a plan is made of. */
export function writePlanDocuments(directory: string, size: SystemSize): PlanFiles {
  const system = systemOf(size)
  const before = manifestOf(system, () => 'old')
  const last = new Set(system.services.slice(-size.services / size.tiers).filter((_, index) => index % UPGRADED === 0))
  const next = manifestOf(system, (service) => (last.has(service) ? 'new' : 'old'))
  const observed = observedOf(before, before.infrastructure).map(({ service, ...rest }) => ({
    ...rest,
    service: { ...service, providesContainers: [...service.providesContainers] },
  }))
  const file = (name: string) => join(directory, `${name}.json`)
  const files = { next: file('next'), before: file('before'), records: file('records') }
  writeFileSync(files.next, encodeDocument(Manifest, next, 'json'))
  writeFileSync(files.before, encodeDocument(Manifest, before, 'json'))
  writeFileSync(files.records, JSON.stringify(observed))
  return files
}

type Service = PlacedSystem['services'][number]

function manifestOf({ targets, services }: PlacedSystem, versionOf: (service: Service) => string): Manifest {
  const keys = new Map<Service, ServiceKey>()
  const mappingOf = (service: Service): Mapping => ({
    service: keys.get(service) as ServiceKey,
    target: service.target as TargetName,
    container: 'process' as ContainerName,
  })
  const entries = services.map((service) => {
    const { name, dependencies } = service
    const pkg = `/store/${hash(`${name} ${versionOf(service)}`)}-${name}` as StorePath
    const dependsOn = dependencies.map(mappingOf)
    const key = hash(JSON.stringify([pkg, dependsOn])) as ServiceKey
    keys.set(service, key)
    const own = { name: name as ServiceName, pkg, type: 'process', dependsOn, connectsTo: [] }
    return [key, { ...own, providesContainers: new Map() }] as const
  })
  const target = (name: string) => {
    const containers = new Map([['process' as ContainerName, new Map()]])
    const properties = new Map([['hostname', name]])
    const reached = { system: 'x86_64-linux', numOfCores: 1, clientInterface: 'ssh', targetProperty: 'hostname' }
    return [name as TargetName, { properties, containers, ...reached }] as const
  }
  return {
    profiles: new Map(),
    services: new Map(entries),
    infrastructure: new Map(targets.map(target)),
    serviceMappings: services.map(mappingOf),
    snapshotMappings: [],
    store: { kind: 'native', directory: '/store' },
  } as unknown as Manifest
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
