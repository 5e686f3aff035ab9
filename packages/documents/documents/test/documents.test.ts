import { DavitError } from '@davit/diagnostics'
import { expect, test } from 'vitest'
import {
  Architecture,
  DeploymentModel,
  encodeDocument,
  type Format,
  Infrastructure,
  InventoryDocument,
  Manifest,
  parseDocument,
  PartialInfrastructure,
  PlanDocument,
  ProfileManifest,
  type StorePath,
  type TargetName,
  validateDocument,
} from '../src/documents.ts'
import { Float } from '@davit/languages'
import { readFixture } from './documents.ts'

const native = parseDocument(Manifest, readFixture('valid/manifest-native.json'), { file: 'm.json' })
const path = (text: string) => text as StorePath
const noStore = { profiles: {}, services: {}, infrastructure: {}, serviceMappings: [], snapshotMappings: [] }
const HASH = '0'.repeat(32)

test.each([
  ['/nix/store', 'nix'],
  ['/var/lib/davit/store', 'native'],
  ['/srv/store', 'native'],
])('a manifest that names no store takes that of its first path: %s', (directory, kind) => {
  const infrastructure = { t: { properties: { h: 'x' }, system: 's', clientInterface: 'ssh', targetProperty: 'h' } }
  const manifest = { ...noStore, infrastructure, profiles: { t: `${directory}/${HASH}-t` } }
  expect(validateDocument(Manifest, manifest, { file: 'x' }).store).toEqual({ kind, directory })
})

test.each([
  ['m.yaml', 'davit-convert --to json m.yaml'],
  ['models/m.ts', 'davit-convert --to json models/m.ts'],
  ['m.nix', 'davit-convert --to json m.nix'],
  ['m.json', undefined],
  ['<stdin>', undefined],
])('a manifest in another language is referred to davit-convert: %s', (file, command) => {
  const { hint } = problemOf(() => parseDocument(Manifest, '{ profiles = { }; }', { file }))
  expect(hint === undefined ? hint : /'(.*?)'/.exec(hint)?.[1]).toBe(command)
})

test.each([
  [PlanDocument, 'services: {}', "'davit-plan --out FILE' makes a plan"],
  [PlanDocument, '{ "services": {} }', "'davit-plan --out FILE' makes a plan"],
  [PlanDocument, '{ "document": "manifest", "version": 2 }', "'davit-plan --out FILE' makes a plan"],
  [PlanDocument, '<manifest version="2"/>', "'davit-plan --out FILE' makes a plan"],
  [InventoryDocument, 'targets: []', "'davit-query --status -f json' makes an inventory"],
  [Manifest, 'web: [test1]', "; of models, 'davit-normalize … | davit-manifest' makes a manifest"],
] as const)(
  'what is no such document is told which command makes one: %o, %s',
  (format: Format<unknown>, text, hint) => {
    const problem = problemOf(() => parseDocument(format, text, { file: 'distribution.yaml' }))
    expect([problem.hint, ...problem.diagnostics.map((one) => one.hint)].join('\n')).toContain(hint)
  },
)

test('a manifest without any path has the default store', () => {
  expect(validateDocument(Manifest, noStore, { file: 'x' }).store).toEqual({
    kind: 'native',
    directory: '/var/lib/davit/store',
  })
})

test('the store of a native manifest is written, that of one in the Nix store is not', () => {
  expect(encodeDocument(Manifest, native, 'xml')).toContain('<kind>native</kind>')
  const nix = parseDocument(Manifest, readFixture('cases/page.xml'), { file: 'x' })
  expect(encodeDocument(Manifest, nix, 'xml')).not.toContain('store>')
  const odd = { ...nix, store: { kind: 'native' as const, directory: '/nix/store' } }
  expect(parseDocument(Manifest, encodeDocument(Manifest, odd, 'xml'), { file: 'x' }).store).toEqual(odd.store)
})

test('a manifest has one store', () => {
  const mixed = { ...native, store: { kind: 'nix', directory: '/nix/store' } }
  const { diagnostics } = problemOf(() => validateDocument(Manifest, mixed, { file: 'x' }))
  expect(diagnostics).toHaveLength(4)
  expect(diagnostics[0]?.message).toMatch(/is not in the store of this manifest, '\/nix\/store'$/)
})

test('a deployment model may lack sections and whatever has a default', () => {
  const model = validateDocument(
    DeploymentModel,
    { profiles: { alpha: `/nix/store/${HASH}-alpha` }, infrastructure: { alpha: { properties: { hostname: 'a' } } } },
    { file: 'd.yaml' },
  )
  expect(model).toEqual({
    profiles: new Map([['alpha', path(`/nix/store/${HASH}-alpha`)]]),
    services: new Map(),
    infrastructure: new Map([['alpha', { properties: new Map([['hostname', 'a']]), containers: new Map() }]]),
    serviceMappings: [],
    snapshotMappings: [],
  })
})

test('a deployment model accepts manifests, and XML without a version', () => {
  expect(parseDocument(DeploymentModel, encodeDocument(Manifest, native, 'xml'), { file: 'x' }).services).toEqual(
    native.services,
  )
  expect(parseDocument(DeploymentModel, '<manifest><profiles/></manifest>', { file: 'x' }).profiles).toEqual(new Map())
})

test('an infrastructure of a person may leave out what has a default', () => {
  const xml = '<infrastructure><target name="a"><properties type="attrs"/></target></infrastructure>'
  const target = { properties: new Map(), containers: new Map() }
  expect(parseDocument(PartialInfrastructure, xml, { file: 'x' })).toEqual(new Map([['a', target]]))
  expect(() => parseDocument(Infrastructure, xml, { file: 'x' })).toThrow(DavitError)
})

test('a target called document or version is a target', () => {
  const target = native.infrastructure.get('alpha' as TargetName)!
  const infrastructure = new Map([
    ['document', target],
    ['version', target],
  ]) as never
  const text = encodeDocument(Infrastructure, infrastructure, 'json')
  expect(parseDocument(Infrastructure, text, { file: 'x' })).toEqual(infrastructure)
})

test('a profile manifest that belongs to no target names every target', () => {
  const target = 'alpha' as TargetName
  const text = readFixture('valid/profile-alpha.xml')
  expect(() => parseDocument(ProfileManifest, text, { file: 'x' })).toThrow(DavitError)
  const value = parseDocument(ProfileManifest.on(target), text, { file: 'x' })
  expect(parseDocument(ProfileManifest, encodeDocument(ProfileManifest, value, 'json'), { file: 'x' })).toEqual(value)
})

test('whole floats and numbers that JSON.parse would bend survive or are refused', () => {
  const withProperty = (value: string) =>
    `{"document":"infrastructure","version":2,"infrastructure":{"a":{"properties":{"h":${value}},"system":"s","clientInterface":"c","targetProperty":"h"}}}`
  const read = (value: string) =>
    parseDocument(Infrastructure, withProperty(value), { file: 'x' })
      .get('a' as TargetName)
      ?.properties.get('h')
  expect(read('1.0')).toEqual(new Float(1))
  expect(read('[1E2,"1.0, ",-0.0]')).toEqual([new Float(100), '1.0, ', new Float(0)])
  expect(read('0.99999999999999999999')).toEqual(new Float(1))
  expect(read('9007199254740993.5')).toEqual(new Float(9_007_199_254_740_994))
  expect(read('-0')).toBe(0)
  expect(() => read('9007199254740993')).toThrow(DavitError)
  expect(() => read('1e999')).toThrow(DavitError)
})

test('tables come out in order of names, however they were written', () => {
  const text = encodeDocument(Manifest, native, 'json')
  const { infrastructure, services } = JSON.parse(text)
  const reversed = { ...JSON.parse(text), infrastructure: reverse(infrastructure), services: reverse(services) }
  const read = parseDocument(Manifest, JSON.stringify(reversed), { file: 'x' })
  expect([...read.infrastructure.keys()]).toEqual(['alpha', 'beta'])
  expect([...read.services.keys()]).toEqual([...native.services.keys()])
})

test('unknown fields and elements are ignored, for extensions', () => {
  const text = encodeDocument(Manifest, native, 'json').replace(
    '"version": 2,',
    '"version": 2, "extension": { "x": null },',
  )
  expect(parseDocument(Manifest, text, { file: 'x' })).toEqual(native)
})

test('an architecture has no XML form', () => {
  const value = parseDocument(Architecture, readFixture('valid/architecture-web.json'), { file: 'x' })
  expect(() => encodeDocument(Architecture, value, 'xml')).toThrow(/has no XML form/)
})

test('validateDocument() gives problems the places of their source', () => {
  const place = { file: 'd.yaml', line: 3, column: 7, text: 'x' }
  const problem = problemOf(() =>
    validateDocument(DeploymentModel, { profiles: { a: 1 } }, { file: 'd.yaml', placeOf: () => place }),
  )
  expect(problem.diagnostics).toEqual([
    { severity: 'error', message: 'expected text, but got 1', path: ['profiles', 'a'], place },
  ])
})

test('validateDocument() refuses a value that contains itself', () => {
  const profiles: Record<string, unknown> = {}
  profiles.a = profiles
  expect(problemOf(() => validateDocument(DeploymentModel, { profiles }, { file: 'x' })).code).toBe('invalid-document')
})

test('validateDocument() takes a field that is undefined as absent', () => {
  expect(validateDocument(DeploymentModel, { store: undefined }, { file: 'x' })).not.toHaveProperty('store')
})

test('at most a hundred problems are shown, and the number of others', () => {
  const profiles = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`t${index}`, 'x']))
  const { diagnostics } = problemOf(() => validateDocument(DeploymentModel, { profiles }, { file: 'x' }))
  expect(diagnostics).toHaveLength(101)
  expect(diagnostics.at(-1)?.message).toBe('900 more problems are not shown')
})

function problemOf(action: () => unknown): DavitError {
  try {
    action()
  } catch (error) {
    if (error instanceof DavitError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

function reverse(table: object): object {
  return Object.fromEntries(Object.entries(table).toReversed())
}
