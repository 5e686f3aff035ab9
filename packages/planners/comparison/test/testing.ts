import type {
  ContainerName,
  Manifest,
  ManifestService,
  Mapping,
  Properties,
  ServiceKey,
  ServiceName,
  StorePath,
  System,
  Target,
  TargetName,
} from '@davit/documents'

/** A manifest in short form. Places and mappings are written `target/container` and `key@target/container`. */
export interface ShortManifest {
  readonly services?: Readonly<Record<string, ShortService>>
  readonly targets?: Readonly<Record<string, ShortTarget>>
  readonly profiles?: Readonly<Record<string, string>>
  readonly state?: readonly string[]
  readonly store?: string
}

export interface ShortService {
  readonly key?: string
  readonly pkg?: string
  readonly type?: string
  readonly on?: readonly string[]
  readonly dependsOn?: readonly string[]
  readonly connectsTo?: readonly string[]
  readonly provides?: Nested
  /** Key of the service that provides the containers. */
  readonly in?: string
}

export interface ShortTarget {
  readonly properties?: Nested
  readonly containers?: Nested
  readonly numOfCores?: number
}

interface Nested {
  readonly [name: string]: string | number | boolean | Nested
}

/** Makes a manifest. A service without a key has its name as its key. */
export function manifestOf(short: ShortManifest): Manifest {
  const { services = {}, targets = {}, profiles = {}, state = [], store = '/store' } = short
  const entries = Object.entries(services).map(([name, service]) => [service.key ?? name, name, service] as const)
  return {
    profiles: new Map(Object.entries(profiles).map(([name, version]) => [name as TargetName, pathOf(version, name)])),
    services: new Map(entries.map(([key, name, service]) => [key as ServiceKey, serviceOf(name, service)])),
    infrastructure: new Map(Object.entries(targets).map(([name, target]) => [name as TargetName, targetOf(target)])),
    serviceMappings: entries.flatMap(([key, , { on = [], in: provider }]) =>
      on.map((place) => ({
        ...mappingOf(`${key}@${place}`),
        ...(provider === undefined ? {} : { containerProvidedByService: provider as ServiceKey }),
      })),
    ),
    snapshotMappings: state.map((text) => ({ ...mappingOf(text), component: 'data' })),
    store: { kind: 'native', directory: store },
  }
}

function serviceOf(name: string, service: ShortService): ManifestService {
  const { pkg = `1-${name}`, type = 'process', dependsOn = [], connectsTo = [], provides = {} } = service
  const [version = '', ...rest] = pkg.split('-')
  return {
    // Several services may have one name: `web` and `web'`.
    name: name.replace(/'$/, '') as ServiceName,
    pkg: pathOf(version, rest.join('-')),
    type,
    dependsOn: dependsOn.map(mappingOf),
    connectsTo: connectsTo.map(mappingOf),
    providesContainers: tableOf(provides) as unknown as ManifestService['providesContainers'],
  }
}

function pathOf(version: string, name: string): StorePath {
  return `/store/${version.padEnd(32, '0')}-${name}` as StorePath
}

function mappingOf(text: string): Mapping {
  const [, service, target, container] = /^(.*)@(.*)\/(.*)$/.exec(text) ?? []
  return { service: service as ServiceKey, target: target as TargetName, container: container as ContainerName }
}

function targetOf({ properties = {}, containers = {}, numOfCores = 1 }: ShortTarget): Target {
  return {
    properties: tableOf(properties),
    containers: tableOf(containers) as unknown as Target['containers'],
    system: 'x86_64-linux' as System,
    numOfCores,
    clientInterface: 'ssh',
    targetProperty: 'hostname',
  }
}

/** Objects of JSON, which become tables. */
function tableOf(nested: Nested): Properties {
  const isNested = (value: unknown): value is Nested => typeof value === 'object'
  return new Map(Object.entries(nested).map(([name, value]) => [name, isNested(value) ? tableOf(value) : value]))
}
