import { DavitError, type Path, type Place, renderDiagnostic } from '@davit/diagnostics'
import {
  type InstantiatedPackage,
  type PackageSpec,
  type Properties,
  type PropertyValue,
  type StorePath,
  type System,
} from '@davit/documents'
import { Float } from '@davit/languages'
import {
  type ArchitectureModel,
  architectureOf,
  type DependencyModel,
  type NormalizationOptions,
  normalizeModel,
  type PackageModel,
  type PlacementModel,
  type ServiceModel,
  type TargetModel,
} from '../src/normalization.ts'
import type { Normalized } from '../src/normalize-model.ts'

export const OPTIONS: NormalizationOptions = {
  clientInterface: 'ssh',
  targetProperty: 'hostname',
  deployState: false,
  system: 'x86_64-linux' as System,
  store: { kind: 'native', directory: '/var/lib/davit/store' },
}

type Plain = string | number | boolean | Float | readonly Plain[] | { readonly [name: string]: Plain }
type Table<Value> = Readonly<Record<string, Value>>

export interface PlainService {
  readonly name?: string
  readonly type?: string
  readonly pkg?: PackageModel | ((system: System) => PackageModel)
  readonly dependsOn?: PlainDependencies
  readonly connectsTo?: PlainDependencies
  readonly activatesAfter?: PlainDependencies
  readonly deployState?: boolean
  readonly providesContainer?: string
  readonly providesContainers?: Table<Table<Plain>>
  /** Placements: `t1`, or `t1 container`. */
  readonly targets?: readonly string[]
  readonly attributes?: Table<Plain>
}

type PlainDependencies =
  | readonly string[]
  | Table<string | { readonly service: string; readonly targets: readonly string[] }>

export interface PlainTarget {
  readonly properties?: Table<Plain>
  readonly containers?: Table<Table<Plain>>
  readonly system?: string
  readonly numOfCores?: number
  readonly targetProperty?: string
}

export interface PlainModel {
  readonly services?: Table<PlainService>
  /** Targets; `t1` and `t2` when absent. */
  readonly infrastructure?: Table<PlainTarget>
  readonly targetPackages?: Table<readonly PackageModel[]>
  readonly distributedServices?: readonly string[]
  readonly placeOf?: (path: Path) => Place | undefined
}

/** Makes a model from plain objects, without any check, so that every defect is possible. */
export function modelOf(plain: PlainModel): ArchitectureModel {
  const {
    services = {},
    infrastructure = { t1: {}, t2: {} },
    targetPackages = {},
    distributedServices,
    placeOf,
  } = plain
  return {
    services: mapOf(services, (service, name) => serviceOf(service, name)),
    infrastructure: mapOf(infrastructure, targetOf),
    targetPackages: mapOf(targetPackages, (packages) => packages),
    ...(distributedServices === undefined ? {} : { distributedServices }),
    placeOf: placeOf ?? (() => undefined),
  }
}

export function normalize(plain: PlainModel, options: Partial<NormalizationOptions> = {}): Normalized {
  return normalizeModel(modelOf(plain), { ...OPTIONS, ...options })
}

/** Adds made-up packages whose paths depend only on the request. */
export function architectureFor(plain: PlainModel, options: Partial<NormalizationOptions> = {}) {
  const normalized = normalize(plain, options)
  const packages = normalized.packageRequests.map(({ spec, system }) => packageFor(spec, system))
  return architectureOf(normalized, packages)
}

/** Returns the problems that normalization reports, as the user sees them. */
export function problemsOf(plain: PlainModel): string[] {
  try {
    normalize(plain)
    return []
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    return error.diagnostics.map(renderDiagnostic)
  }
}

export function source(path: string): PackageModel {
  return { kind: 'data', spec: { kind: 'source', path } }
}

export function build(env: Table<string>, name = 'made', options: { parametersFile?: true } = {}): PackageModel {
  return { kind: 'data', spec: buildSpec(env, name), ...options }
}

export function buildSpec(env: Table<string>, name = 'made'): PackageSpec {
  const empty = new Map<never, never>()
  const script = 'echo "${HOME}" > $out'
  return {
    kind: 'build',
    name,
    script,
    sources: empty,
    env: new Map(Object.entries(env)),
    inputs: empty,
    network: false,
  }
}

export function call(of: (parameters: never) => PackageSpec): PackageModel {
  return { kind: 'function', call: (parameters) => of(parameters as never) }
}

export function envOf(normalized: Normalized, service: string): Table<string> {
  const request = normalized.packageRequests.find(
    ({ wantedBy }) => 'service' in wantedBy && wantedBy.service === service,
  )
  return request?.spec.kind === 'build' ? Object.fromEntries(request.spec.env) : {}
}

export function propertiesOf(table: Table<Plain>): Properties {
  return mapOf(table, propertyOf)
}

function propertyOf(value: Plain): PropertyValue {
  if (isPlainList(value)) return value.map(propertyOf)
  return typeof value === 'object' && !(value instanceof Float) ? propertiesOf(value) : value
}

function isPlainList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value)
}

function serviceOf(plain: PlainService, name: string): ServiceModel {
  const { pkg = source(`/src/${name}`), providesContainers, targets } = plain
  return {
    name,
    type: 'process',
    ...only(plain, ['name', 'type', 'deployState', 'providesContainer']),
    dependsOn: dependenciesOf(plain.dependsOn),
    connectsTo: dependenciesOf(plain.connectsTo),
    activatesAfter: dependenciesOf(plain.activatesAfter),
    ...(providesContainers === undefined ? {} : { providesContainers: mapOf(providesContainers, propertiesOf) }),
    ...(targets === undefined ? {} : { targets: targets.map(placementOf) }),
    attributes: propertiesOf(plain.attributes ?? {}),
    packageFor: (system) => (typeof pkg === 'function' ? pkg(system) : pkg),
  }
}

function only<Value extends object, Name extends keyof Value>(value: Value, names: readonly Name[]): Pick<Value, Name> {
  return Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]])) as Pick<
    Value,
    Name
  >
}

function dependenciesOf(plain: PlainDependencies = []): ReadonlyMap<string, DependencyModel> {
  const table = isList(plain) ? Object.fromEntries(plain.map((name) => [name, name])) : plain
  return mapOf(table, (dependency) =>
    typeof dependency === 'string'
      ? { service: dependency }
      : { service: dependency.service, targets: dependency.targets.map(placementOf) },
  )
}

function isList(plain: PlainDependencies): plain is readonly string[] {
  return Array.isArray(plain)
}

function placementOf(text: string): PlacementModel {
  const [target = '', container] = text.split(' ')
  return container === undefined ? { target } : { target, container }
}

function targetOf(plain: PlainTarget, name: string): TargetModel {
  return {
    properties: propertiesOf(plain.properties ?? { hostname: `${name}.example.org` }),
    containers: mapOf(plain.containers ?? {}, propertiesOf),
    ...(plain.system === undefined ? {} : { system: plain.system as System }),
    ...only(plain, ['numOfCores', 'targetProperty']),
  }
}

function mapOf<Key extends string, Value, Result>(
  table: Table<Value>,
  change: (value: Value, name: string) => Result,
): Map<Key, Result> {
  return new Map(Object.entries(table).map(([name, value]) => [name as Key, change(value, name)]))
}

function packageFor(spec: PackageSpec, system: System): InstantiatedPackage {
  const text = JSON.stringify([spec, system], (_, value: unknown) => (value instanceof Map ? [...value] : value))
  let sum = 7n
  for (const character of text) sum = (sum * 31n + BigInt(character.codePointAt(0) ?? 0)) % 36n ** 32n
  const hash = sum.toString(36).padStart(32, '0')
  return { outPath: `/var/lib/davit/store/${hash}-${nameOf(spec)}` as StorePath }
}

function nameOf(spec: PackageSpec): string {
  if (spec.kind === 'build') return spec.name
  if (spec.kind === 'expression') return 'expression'
  return spec.path.slice(spec.path.lastIndexOf('/') + 1)
}
