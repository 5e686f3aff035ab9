import { encodeDocument, Manifest } from '@davit/documents'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  compareManifests,
  encodeDifference,
  hasDifferences,
  isSameDeployment,
  renderDifference,
} from '../src/comparison.ts'
import { manifestOf, type ShortManifest, type ShortService } from './testing.ts'

const web = (service: ShortService): ShortManifest => ({ services: { web: { on: ['t1/process'], ...service } } })
const secret = (file: string) => ({ secret: { file } })

const CASES: readonly (readonly [what: string, before: ShortManifest, after: ShortManifest, text: string])[] = [
  [
    'a service that is new',
    {},
    web({ on: ['t2/process', 't1/process'] }),
    'service web added: in process on t1, in process on t2\n',
  ],
  ['a service that is gone', web({}), {}, 'service web removed: in process on t1\n'],
  ['a service that is nowhere', web({ on: [] }), {}, 'service web removed\n'],
  [
    'another package',
    web({ key: 'a' }),
    web({ key: 'b', pkg: '2-web' }),
    'service web changed\n  package: 1000000-web to 2000000-web\n',
  ],
  [
    'another version of a package',
    web({ pkg: '1-web-1.0' }),
    web({ pkg: '2-web-1.1' }),
    'service web changed\n  package: web-1.0 to web-1.1\n',
  ],
  ['another type', web({}), web({ type: 'wrapper' }), 'service web changed\n  type: process to wrapper\n'],
  [
    'a move',
    web({}),
    web({ on: ['t2/process'] }),
    'service web changed\n  moved: in process on t1 to in process on t2\n',
  ],
  [
    'more and fewer places',
    { services: { a: { on: ['t1/process', 't2/process'] }, b: { on: ['t1/process'] } } },
    { services: { a: { on: ['t1/process'] }, b: { on: ['t1/process', 't2/process'] } } },
    'service a changed\n  no longer in process on t2\nservice b changed\n  also in process on t2\n',
  ],
  [
    'other dependencies',
    { services: { a: {}, b: {}, web: { dependsOn: ['a@t1/process'], connectsTo: ['a@t1/process'] } } },
    { services: { a: {}, b: {}, web: { dependsOn: ['b@t1/process'] } } },
    'service web changed\n  no longer depends on a in process on t1\n  depends on b in process on t1\n  no longer connects to a in process on t1\n',
  ],
  [
    'a dependency of which there is another version',
    { services: { a: { key: 'a1' }, web: { key: 'w1', dependsOn: ['a1@t1/process'], connectsTo: ['a1@t1/process'] } } },
    {
      services: {
        a: { key: 'a2', pkg: '2-a' },
        web: { key: 'w2', dependsOn: ['a2@t1/process'], connectsTo: ['a2@t1/process'] },
      },
    },
    'service a changed\n  package: 1000000-a to 2000000-a\nservice web changed\n  depends on a, which changed\n  connects to a, which changed\n',
  ],
  [
    'a key alone',
    web({ key: 'a' }),
    web({ key: 'b' }),
    'service web changed\n  its key, for a reason that the manifests do not show\n',
  ],
  [
    'containers of a service',
    { services: { db: { provides: { mysql: { port: 1 } } } } },
    { services: { db: { provides: { mysql: { port: 2 } } } } },
    'service db changed\n  provides container mysql/port: 1 to 2\n',
  ],
  [
    'the provider of a container',
    { services: { db: {}, a: { on: ['t1/mysql'] } } },
    { services: { db: {}, a: { on: ['t1/mysql'], in: 'db' } } },
    'service a changed\n  container mysql on t1: of the target to provided by db\n',
  ],
  ['targets', { targets: { a: {}, b: {} } }, { targets: { b: {}, c: {} } }, 'target a removed\ntarget c added\n'],
  [
    'what a target is',
    { targets: { a: { properties: { hostname: 'a', old: '' } } } },
    { targets: { a: { numOfCores: 2, properties: { hostname: 'b', new: 'x\ny' } } } },
    'target a changed\n  numOfCores: 1 to 2\n  properties/hostname: "a" to "b"\n  properties/new added: "x\\ny"\n  properties/old removed: ""\n',
  ],
  [
    'containers of a target, and where secrets are',
    { targets: { a: { containers: { mysql: { password: secret('/a') } } } } },
    { targets: { a: { containers: { mysql: { password: secret('/b') }, tomcat: { port: 8080 } } } } },
    `target a changed\n  containers/mysql/password: secret from file '/a' to secret from file '/b'\n  containers/tomcat added: { "port": 8080 }\n`,
  ],
  [
    'profiles',
    { profiles: { a: '1', b: '1', c: '1' } },
    { profiles: { b: '2', c: '1', d: '1' } },
    'profile of a removed\nprofile of b changed: 1000000 to 2000000\nprofile of d added\n',
  ],
  [
    'state that moves',
    { services: { a: {}, b: {} }, state: ['a@t1/mysql'] },
    { services: { a: {}, b: {} }, state: ['b@t1/mysql'] },
    'state of a in mysql on t1 (data) no longer moves with it\nstate of b in mysql on t1 (data) moves with it\n',
  ],
  ['the store', {}, { store: '/srv' }, 'store changed: native /store to native /srv\n'],
]

describe('isSameDeployment()', () => {
  test('ignores the order of mappings, and services that no target has', () => {
    const services = { web: { on: ['t1/process', 't2/process'] }, api: {} }
    const [one, other] = [manifestOf({ services }), manifestOf({ services: { ...services, unused: { on: [] } } })]
    expect(isSameDeployment(one, { ...other, serviceMappings: other.serviceMappings.toReversed() })).toBe(true)
  })

  test.each([
    ['a service that is gone', {}],
    ['another key', web({ key: 'other' })],
    ['another place', web({ on: ['t2/process'] })],
    ['another profile', { ...web({}), profiles: { t1: '1' } }],
    ['state', { ...web({}), state: ['web@t1/process'] }],
    ['a target', { ...web({}), targets: { t1: {} } }],
    ['another store', { ...web({}), store: '/srv' }],
  ])('notices %s', (_, after) => {
    expect(isSameDeployment(manifestOf(web({})), manifestOf(after))).toBe(false)
  })
})

describe('compareManifests()', () => {
  test.each(CASES)('tells %s', (_, before, after, text) => {
    const difference = compareManifests(manifestOf(before), manifestOf(after))
    expect(renderDifference(difference)).toBe(text)
    expect(hasDifferences(difference)).toBe(true)
  })

  test.each(CASES)('finds nothing in a manifest and itself: %s', (_, __, after) => {
    const [one, other] = [manifestOf(after), manifestOf(after)]
    const shuffled = { ...other, serviceMappings: other.serviceMappings.toReversed() }
    const difference = compareManifests(one, shuffled)
    expect([hasDifferences(difference), renderDifference(difference)]).toEqual([false, ''])
  })

  test('pairs services of the same name by their keys first', () => {
    const before = manifestOf({
      services: { web: { key: 'b', on: ['t1/process'] }, "web'": { key: 'a', on: ['t2/process'] } },
    })
    const after = manifestOf({ services: { web: { key: 'b', on: ['t1/process'] } } })
    expect(renderDifference(compareManifests(before, after))).toBe('service web removed: in process on t2\n')
  })

  test('is swapped if the manifests are', () => {
    for (const [, before, after] of CASES) {
      const there = compareManifests(manifestOf(before), manifestOf(after))
      const back = compareManifests(manifestOf(after), manifestOf(before))
      const names = ({ services, targets }: typeof there) =>
        [...services, ...targets].map((one) => Object.values(one)[1])
      expect(names(back)).toEqual(names(there))
      expect(JSON.stringify(back)).not.toBe(JSON.stringify(there))
    }
  })
})

const place = fc.constantFrom('t1/process', 't2/process', 't1/mysql')
const service = fc.record({
  key: fc.constantFrom('k1', 'k2'),
  pkg: fc.constantFrom('1-web', '2-web', '1-web-2'),
  type: fc.constantFrom('process', 'wrapper'),
  on: fc.uniqueArray(place),
  dependsOn: fc.uniqueArray(place.map((at) => `db@${at}`)),
  connectsTo: fc.uniqueArray(place.map((at) => `db@${at}`)),
})
const short = fc.record({
  services: fc.record({ db: fc.constant({}), web: service }, { requiredKeys: ['db'] }),
  targets: fc.record(
    { t1: fc.record({ numOfCores: fc.integer({ min: 1, max: 2 }) }), t2: fc.constant({}) },
    { requiredKeys: ['t1'] },
  ),
  profiles: fc.record({ t1: fc.constantFrom('1', '2') }, { requiredKeys: [] }),
  state: fc.subarray(['web@t1/process', 'db@t1/process']),
})

test('there are differences exactly where the documents differ in more than the order of lists', () => {
  const sorted = (manifest: Manifest) => {
    const byText = <Item>(list: readonly Item[]) =>
      list.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
    const services = [...manifest.services].map(([key, one]) => {
      const lists = { dependsOn: byText(one.dependsOn), connectsTo: byText(one.connectsTo) }
      return [key, { ...one, ...lists }] as const
    })
    const { serviceMappings, snapshotMappings } = manifest
    const lists = { serviceMappings: byText(serviceMappings), snapshotMappings: byText(snapshotMappings) }
    return encodeDocument(Manifest, { ...manifest, ...lists, services: new Map(services) }, 'json')
  }
  fc.assert(
    fc.property(short, short, (one, other) => {
      const [before, after] = [manifestOf(one), manifestOf(other)]
      const difference = compareManifests(before, after)
      expect(hasDifferences(difference)).toBe(sorted(before) !== sorted(after))
      expect(renderDifference(difference) === '').toBe(!hasDifferences(difference))
    }),
    { numRuns: 500 },
  )
})

test('encodeDifference() keeps names such as __proto__, and numbers as they are written', () => {
  const before = manifestOf({ targets: { a: {} } })
  const after = manifestOf({ targets: { a: { properties: { ['__proto__']: 1 } } } })
  const text = encodeDifference(compareManifests(before, after), { from: 1, to: 2 })
  expect(JSON.parse(text)).toMatchObject({
    document: 'difference',
    version: 1,
    from: 1,
    to: 2,
    targets: [{ kind: 'changed', target: 'a', fields: [{ path: ['properties', '__proto__'], to: 1 }] }],
  })
})
