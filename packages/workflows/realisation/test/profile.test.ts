import { readFileSync } from 'node:fs'
import {
  type Architecture,
  encodeDocument,
  type InstantiatedPackage,
  Manifest,
  parseDocument,
  ProfileManifest,
  type StorePath,
  type TargetName,
} from '@davit/documents'
import { expect, test } from 'vitest'
import { modulesByTarget, requiredModules } from '../src/profile/modules-by-target.ts'
import { packagesByTarget } from '../src/profile/packages-by-target.ts'
import { profileManifests } from '../src/profile/profile-manifests.ts'

function fixture(file: string): string {
  return readFileSync(new URL(`fixtures/${file}`, import.meta.url), 'utf8')
}

const manifest = parseDocument(Manifest, fixture('page.xml'), { file: 'page.xml' })
const named = (name: string) => name as TargetName

test.each(['test1', 'test2'])('profileManifests() gives what the original put into the profile of %s', (name) => {
  const file = `page.profile-${name}.xml`
  const expected = parseDocument(ProfileManifest.on(named(name)), fixture(file), { file })
  const found = profileManifests(manifest).get(named(name))!
  expect(found).toEqual(expected)
  expect([...found.services.keys()]).toEqual([...expected.services.keys()])
})

test.each(['test1', 'test2'])(
  'the text of the profile of %s has the elements that the original wrote, in its order',
  (name) => {
    const text = encodeDocument(ProfileManifest.on(named(name)), profileManifests(manifest).get(named(name))!, 'xml')
    expect(elementsOf(text)).toBe(elementsOf(fixture(`page.profile-${name}.xml`)))
  },
)

/** A document without its first line, and without the space between elements. */
function elementsOf(text: string): string {
  return text
    .replace(/<\?xml.*?\?>/, '')
    .replaceAll(/>\s+</g, '><')
    .replaceAll(/<(\w+)><\/\1>/g, '<$1/>')
    .trim()
}

test('profileManifests() is empty for a target without services', () => {
  const [target] = manifest.infrastructure.values()
  const infrastructure = new Map([...manifest.infrastructure, [named('other'), target!]])
  expect(profileManifests({ ...manifest, infrastructure }).get(named('other'))).toEqual({
    services: new Map(),
    serviceMappings: [],
    snapshotMappings: [],
  })
})

test('profileManifests() does not look at the targets of snapshots for services', () => {
  const found = profileManifests({ ...manifest, serviceMappings: [] }).get(named('test1'))!
  expect([found.services.size, found.snapshotMappings.length]).toEqual([0, 1])
})

test.each([
  ['test1', ['page', 'process', 'tomcat-webapplication']],
  ['test2', ['mysql-database', 'tomcat-webapplication']],
])('modulesByTarget() has all types of the services on %s', (target, expected) => {
  expect(modulesByTarget(manifest).get(named(target))).toEqual(expected)
})

test('requiredModules() leaves out what services provide', () => {
  expect(requiredModules(manifest)).toEqual(['mysql-database', 'process', 'tomcat-webapplication'])
})

const path = (name: string): InstantiatedPackage => ({ outPath: `/store/${'0'.repeat(32)}-${name}` as StorePath })

/** A service on `x86` and `arm` has packages `NAME-x86` and `NAME-arm`. */
function serviceOn(name: string, ...targets: readonly string[]) {
  const packages = new Map(['x86', 'arm'].map((system) => [system, path(`${name}-${system}`)]))
  return [name, { name, targets: targets.map((target) => ({ target, container: 'c' })), packages }] as const
}

const architecture = {
  services: new Map([serviceOn('web', 't1', 't2'), serviceOn('api', 't1', 't1'), serviceOn('idle')]),
  infrastructure: new Map([
    ['t1', { system: 'x86' }],
    ['t2', { system: 'arm' }],
    ['t3', { system: 'arm' }],
  ]),
  targetPackages: new Map([
    ['t1', [path('tool'), path('web-x86'), path('editor'), path('tool')]],
    ['t2', []],
  ]),
} as unknown as Architecture

test.each([
  ['t1', ['tool', 'web-x86', 'editor', 'api-x86']],
  ['t2', ['web-arm']],
  ['t3', []],
])(
  'packagesByTarget() lists own packages of %s first, then those of services in order, each once',
  (target, expected) => {
    expect(packagesByTarget(architecture).get(named(target))).toEqual(expected.map((name) => path(name).outPath))
  },
)
