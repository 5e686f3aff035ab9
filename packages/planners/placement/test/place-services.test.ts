import { renderDiagnostic } from '@davit/diagnostics'
import type { Manifest } from '@davit/documents'
import { expect, test } from 'vitest'

import { describeUnplaced, distributionOf, placesIn, placeServices, type PlacementTerms } from '../src/placement.ts'
import { before, modelsOf, placed, type ShortModels } from './testing.ts'

const T = { t1: {}, t2: {}, t3: {} }
const tags = (table: Readonly<Record<string, readonly string[]>>) => ({ tags: new Map(Object.entries(table)) })

type Case<Result> = readonly [what: string, models: ShortModels, result: Result, terms: PlacementTerms]

const CASES: readonly Case<Readonly<Record<string, string>>>[] = [
  ['nothing', { services: {}, targets: T }, {}, {}],
  [
    'services in turn, by name',
    { services: { e: {}, b: {}, a: {}, d: {}, c: {} }, targets: T },
    { a: 't1', b: 't2', c: 't3', d: 't1', e: 't2' },
    {},
  ],
  [
    'only where there is a container of the type',
    { services: { a: { type: 'db' }, b: {} }, targets: { ...T, t2: { has: ['db'] } } },
    { a: 't2', b: 't1' },
    {},
  ],
  [
    'what is only installed anywhere',
    { services: { a: { type: 'package' } }, targets: { t1: { has: [] } } },
    { a: 't1' },
    {},
  ],
  [
    'only where the tags are',
    {
      services: { a: { tags: 'ssd' }, b: { tags: ['ssd', 'eu'] }, c: { tags: ['us'] } },
      targets: { t1: { tags: 'us' }, t2: { tags: ['ssd', 'eu'] }, t3: { tags: ['ssd', 3] } },
    },
    { a: 't2', b: 't2', c: 't1' },
    {},
  ],
  [
    'also by tags that are not in the models',
    { services: { a: {}, b: { tags: 'x' } }, targets: { t1: { tags: 'x' }, t2: { tags: ['x', 'y'] } } },
    { a: 't2', b: 't2' },
    tags({ a: ['y'], b: ['y'] }),
  ],
  [
    'more where there are more cores',
    { services: { a: {}, b: {}, c: {}, d: {} }, targets: { t1: {}, t2: { numOfCores: 3 } } },
    { a: 't2', b: 't2', c: 't1', d: 't2' },
    { capacity: 'numOfCores' },
  ],
  [
    'the greatest demand first, and never more than fits',
    {
      services: { a: { memoryMB: 100 }, b: { memoryMB: 950 }, c: { memoryMB: 600 }, d: {} },
      targets: { t1: { memoryMB: 1000 }, t2: { memoryMB: 700 } },
    },
    { b: 't1', c: 't2', a: 't2', d: 't1' },
    { capacity: 'memoryMB' },
  ],
  [
    'nothing where the capacity is unknown or used up',
    {
      services: { a: { memoryMB: 10 }, b: { memoryMB: 10 } },
      targets: { t1: {}, t2: { memoryMB: 15 }, t3: { memoryMB: -1 } },
    },
    { a: 't2', b: 'nowhere' },
    { capacity: 'memoryMB' },
  ],
  [
    'what was somewhere before there, and the others around it',
    { services: { a: {}, b: {}, c: {}, d: {} }, targets: T },
    { a: 't2', b: 't3', c: 't1 t2', d: 't1' },
    { previous: before({ a: 't2', c: 't2 t1' }) },
  ],
  [
    'anew what was where it cannot be any more',
    {
      services: { a: {}, b: { type: 'db' }, c: { tags: 'x' }, d: {} },
      targets: { t1: {}, t2: { has: ['process', 'db'], tags: 'x' } },
    },
    { a: 't1', b: 't2', c: 't2', d: 't1' },
    { previous: before({ a: 'gone', b: 't2', c: 't1', d: 't1/gone' }) },
  ],
  [
    'what was in a container of another name there, if that is left',
    { services: { a: {}, b: {} }, targets: { t1: {}, t2: { has: ['process', 'second'] } } },
    { a: 't2/second', b: 't1' },
    { previous: before({ a: 't2/second', b: 't1/second' }) },
  ],
  [
    'nothing that says itself where it goes, which counts as well',
    { services: { a: { on: ['t1', 't2', 'unknown'] }, b: {}, c: {} }, targets: T },
    { b: 't3', c: 't1' },
    {},
  ],
  [
    'where a dependant uses it, whatever was before',
    { services: { db: {}, web: { uses: { db: ['t3', 't2', 't3'] } }, z: { uses: { db: undefined } } }, targets: T },
    { db: 't2 t3', web: 't1', z: 't1' },
    { previous: before({ db: 't1' }) },
  ],
  [
    'not where a dependant uses it, if it cannot be there',
    { services: { db: {}, web: { uses: { db: ['t1', 't3/other'] } } }, targets: T },
    { db: 'nowhere', web: 't1' },
    {},
  ],
  [
    'containers before what is in them',
    {
      services: { a: { type: 'site' }, b: { type: 'site' }, s: { provides: 'site' } },
      targets: { ...T, t4: { has: ['site'] } },
    },
    { a: 't4', b: 't1', s: 't1' },
    {},
  ],
  [
    'what stays in a container only if that stays too',
    { services: { a: { type: 'site' }, s: { provides: 'site' }, u: { provides: 'site' } }, targets: T },
    { a: 't3', s: 't3', u: 't1' },
    { previous: new Map([...before({ a: 't3' }, 'site'), ...before({ s: 't3', u: 'gone' })]) },
  ],
  [
    'services in containers of each other as far as possible',
    { services: { a: { type: 'x', provides: 'y' }, b: { type: 'y', provides: 'x' } }, targets: { t1: { has: ['x'] } } },
    { a: 't1', b: 't1' },
    {},
  ],
  [
    'what has another type now in a container of that type',
    { services: { a: { type: 'db' } }, targets: { t1: { has: ['db'] }, t2: { has: ['process', 'second', 'db'] } } },
    { a: 't2' },
    { previous: before({ a: 't2/second' }) },
  ],
  ['nothing without targets', { services: { a: {} }, targets: {} }, { a: 'nowhere' }, {}],
  [
    'names as they are',
    { services: { __proto__x: {}, constructor: {} }, targets: { __x: {} } },
    { __proto__x: '__x', constructor: '__x' },
    {},
  ],
]

test.each(CASES)('placeServices() places %s', (_, models, places, terms) => {
  expect(placed(models, terms)).toEqual(places)
})

const WHY: readonly Case<string>[] = [
  [
    'a container',
    { services: { web: { type: 'db' } }, targets: T },
    "services.web: error: no target can take service 'web' of type 'db'\n  hint: t1, t2, t3: no container 'db'",
    {},
  ],
  [
    'each in its own way',
    {
      services: { web: { tags: ['x', 'y'], memoryMB: 8 } },
      targets: {
        full: { tags: ['x', 'y'], memoryMB: 7 },
        other: { has: [] },
        plain: {},
        some: { tags: 'x' },
        unknown: { tags: ['y', 'x'] },
      },
    },
    "services.web: error: no target can take service 'web' of type 'process'\n  hint: full: 7 left of 'memoryMB', but it takes 8; other: no container 'process'; plain: no tags 'x', 'y'; some: no tag 'y'; unknown: no property 'memoryMB' that is a number above zero",
    { capacity: 'memoryMB' },
  ],
  [
    'only the first targets',
    { services: { web: { type: 'db' } }, targets: { ...T, t4: {}, t5: {}, t6: {}, t7: {} } },
    "services.web: error: no target can take service 'web' of type 'db'\n  hint: t1, t2, t3, t4, t5 and 2 more: no container 'db'",
    {},
  ],
  [
    'that there are none',
    { services: { web: {} }, targets: {} },
    "services.web: error: no target can take service 'web' of type 'process'\n  hint: the infrastructure has no targets",
    {},
  ],
  [
    'where it is used',
    { services: { db: {}, web: { uses: { db: ['t1', 't2/other'] } } }, targets: T },
    "services.db: error: service 'db' cannot be on target 't2', where 'web' uses it\n  hint: t2: no container 'other'",
    {},
  ],
  [
    'the last by name who uses it',
    { services: { db: {}, web: { uses: { db: ['t9'] } }, api: { uses: { db: ['t9'] } } }, targets: T },
    "services.db: error: service 'db' cannot be on target 't9', where 'web' uses it\n  hint: there is no such target",
    {},
  ],
  [
    'that it is used nowhere',
    { services: { db: {}, web: { uses: { db: ['t9'] } } }, targets: T },
    "services.db: error: service 'db' cannot be on target 't9', where 'web' uses it\n  hint: there is no such target",
    {},
  ],
]

test.each(WHY)('describeUnplaced() tells what lacks: %s', (_, models, text, terms) => {
  const { unplaced } = placeServices(modelsOf(models), terms)
  expect(unplaced.map((one) => renderDiagnostic(describeUnplaced(one, terms.capacity))).join('\n')).toBe(text)
})

test('distributionOf() names a container only if it is not named after the type', () => {
  const models = modelsOf({ services: { a: {}, b: {} }, targets: { t1: { has: ['process', 'other'] } } })
  const found = placeServices(models, { previous: before({ a: 't1 t1/other' }) })
  expect(Object.fromEntries(distributionOf(found, () => 'process'))).toEqual({
    a: ['t1', { target: 't1', container: 'other' }],
    b: ['t1'],
  })
})

test('placesIn() finds the services of a manifest by name', () => {
  const manifest = {
    services: new Map([['k1', { name: 'web', type: 'process' }]]),
    serviceMappings: [
      { service: 'k1', target: 't1', container: 'process' },
      { service: 'k1', target: 't2', container: 'other' },
      { service: 'unknown', target: 't2', container: 'other' },
    ],
  } as unknown as Manifest
  expect(Object.fromEntries(placesIn(manifest))).toEqual({
    web: {
      type: 'process',
      places: [
        { target: 't1', container: 'process' },
        { target: 't2', container: 'other' },
      ],
    },
  })
})
