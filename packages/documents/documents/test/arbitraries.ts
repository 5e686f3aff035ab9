import * as fc from 'fast-check'
import {
  type Architecture,
  type BuildModel,
  type Infrastructure,
  type Manifest,
  type ProfileManifest,
  type Properties,
  type PropertyValue,
  type StorePath,
  type TargetName,
} from '../src/documents.ts'
import { Float } from '@davit/languages'

const AWKWARD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'name',
  'document',
  'version',
  '1',
  '0.0',
]

export const name = fc.oneof(fc.constantFrom(...AWKWARD_NAMES), fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,8}$/))

/** Every character that can occur in XML 1.0. */
export const text = fc.oneof(
  fc
    .string({
      unit: fc.oneof(
        fc.constantFrom(
          ' ',
          '\t',
          '\r',
          '\n',
          '<',
          '>',
          '&',
          '"',
          "'",
          '/',
          '!',
          '?',
          ';',
          ']]>',
          '<!--',
          '&amp;',
          '\uFEFF',
          '\u2028',
        ),
        fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }),
      ),
    })
    .filter(isCarriable),
  fc.constantFrom(...AWKWARD_NAMES, '', '1.0', 'true', '  ', '\n', ' x '),
)

const number = fc.oneof(
  fc.maxSafeInteger().map((value) => value + 0),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
)
const float = fc.oneof(fc.constantFrom(1, 1e21, 1e300, 0, -5), fc.maxSafeInteger()).map((value) => new Float(value))

export const properties: fc.Arbitrary<Properties> = fc.letrec<{ value: PropertyValue; table: Properties }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    number,
    float,
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('table'),
  ),
  table: mapOf(fc.oneof(text, name), tie('value'), { maxLength: 4 }),
})).table

const STORES = ['/nix/store', '/var/lib/davit/store', '/srv/davit.store'] as const

const baseName = fc.tuple(fc.stringMatching(/^[0-9a-z]{32}$/), fc.stringMatching(/^[A-Za-z0-9+?=._-]{1,9}$/))

const storePathIn = (directory: string) => baseName.map(([hash, rest]) => `${directory}/${hash}-${rest}` as StorePath)

const storePath = fc.constantFrom(...STORES).chain(storePathIn)

const target = fc.record({
  properties: properties.map((table): Properties => new Map([...table, ['hostname', 'a.example']])),
  containers: mapOf(name, properties, { maxLength: 3 }),
  system: fc.constantFrom('x86_64-linux', 'aarch64-linux'),
  numOfCores: fc.integer({ min: 1, max: 64 }),
  clientInterface: text,
  targetProperty: fc.constant('hostname'),
})

export const infrastructure = mapOf(name, target, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<Infrastructure>

const mappingFields = (targets: readonly string[], keys: readonly string[]) => ({
  service: fc.constantFrom(...keys),
  target: fc.constantFrom(...targets),
  container: name,
})

const optionalProvider = (keys: readonly string[]) =>
  fc.option(
    fc.constantFrom(...keys).map((key) => ({ containerProvidedByService: key })),
    { nil: {} },
  )

const sectionsOf = (targets: readonly string[], keys: readonly string[], pkg = storePath) => {
  const mapping = fc.record(mappingFields(targets, keys))
  const serviceMapping = fc
    .tuple(mapping, optionalProvider(keys))
    .map(([fields, provider]) => ({ ...fields, ...provider }))
  const service = fc.record({
    name,
    pkg,
    type: name,
    dependsOn: fc.array(mapping, { maxLength: 3 }),
    connectsTo: fc.array(mapping, { maxLength: 3 }),
    providesContainers: mapOf(name, properties, { maxLength: 2 }),
  })
  return {
    services: fc
      .tuple(...keys.map(() => service))
      .map((services) => new Map(keys.map((key, index) => [key, services[index]]))),
    serviceMappings: fc.array(serviceMapping, { maxLength: 4 }),
    snapshotMappings: fc.array(
      fc.tuple(serviceMapping, text).map(([fields, component]) => ({ ...fields, component })),
      { maxLength: 3 },
    ),
  }
}

const keys = fc.uniqueArray(name, { minLength: 1, maxLength: 4 })

export const manifest = fc
  .tuple(infrastructure, keys, fc.constantFrom(...STORES))
  .chain(([machines, services, directory]) =>
    fc.record({
      profiles: mapOf(fc.constantFrom(...machines.keys()), storePathIn(directory), { maxLength: 3 }),
      ...sectionsOf([...machines.keys()], services, storePathIn(directory)),
      infrastructure: fc.constant(machines),
      store: fc.record({ kind: fc.constantFrom('native', 'nix'), directory: fc.constant(directory) }),
    }),
  ) as fc.Arbitrary<unknown> as fc.Arbitrary<Manifest>

export const profileManifest = fc
  .tuple(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), keys)
  .chain(([targets, services]) =>
    fc.record({ target: fc.constantFrom(...targets), value: fc.record(sectionsOf(targets, services)) }),
  ) as fc.Arbitrary<unknown> as fc.Arbitrary<{ target: TargetName; value: ProfileManifest }>

export const buildModel = fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).chain((interfaces) =>
  fc.record({
    derivationMappings: fc.array(fc.record({ derivation: storePath, interface: fc.constantFrom(...interfaces) }), {
      maxLength: 4,
    }),
    interfaces: fc
      .record({ targetAddress: text, clientInterface: text })
      .map((machine) => new Map(interfaces.map((key) => [key, machine]))),
  }),
) as fc.Arbitrary<unknown> as fc.Arbitrary<BuildModel>

export const architecture = fc.tuple(infrastructure, keys).chain(([machines, services]) => {
  const placement = fc
    .tuple(fc.record({ target: fc.constantFrom(...machines.keys()), container: name }), optionalProvider(services))
    .map(([fields, provider]) => ({ ...fields, ...provider }))
  const targets = fc.array(placement, { maxLength: 3 })
  const dependencies = mapOf(text, fc.record({ service: fc.constantFrom(...services), targets }), { maxLength: 3 })
  const instantiated = fc.record({ outPath: storePath, derivation: storePath }, { requiredKeys: ['outPath'] })
  const systems = new Set([...machines.values()].map(({ system }) => system))
  const service = fc.record({
    type: name,
    deployState: fc.boolean(),
    dependsOn: dependencies,
    connectsTo: dependencies,
    activatesAfter: dependencies,
    providesContainers: mapOf(name, properties, { maxLength: 2 }),
    targets,
    packages: instantiated.map((built) => new Map([...systems].map((system) => [system, built]))),
    attributes: properties,
  })
  return fc.record({
    store: fc.constant({ kind: 'native', directory: '/var/lib/davit/store' }),
    services: fc
      .tuple(...services.map(() => service))
      .map((values) => new Map(services.map((key, index) => [key, { ...values[index], name: key }]))),
    infrastructure: fc.constant(machines),
    targetPackages: mapOf(fc.constantFrom(...machines.keys()), fc.array(instantiated, { maxLength: 2 }), {
      maxLength: 2,
    }),
  })
}) as fc.Arbitrary<unknown> as fc.Arbitrary<Architecture>

function mapOf<Value>(key: fc.Arbitrary<string>, value: fc.Arbitrary<Value>, constraints: fc.ArrayConstraints) {
  return fc.array(fc.tuple(key, value), constraints).map((entries): ReadonlyMap<string, Value> => new Map(entries))
}

function isCarriable(value: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return value.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(value)
}
