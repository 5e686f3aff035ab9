import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compiledDocument } from '@davit/stack'
import { compileTexts, type Texts } from '@davit/stack/testing'
import { changesSince } from '../src/stack-machines.ts'
import { built, codesOf, compiled, emissionOf, run, servicesIn, stackOf, targetsNamed, targetWith } from './testing.ts'

const ONE = targetsNamed(['one'])
const PROGRAM = 'type: mu/container, command: [env]'

function environmentOf(texts: Texts, service: string, setup: Parameters<typeof emissionOf>[1] = {}) {
  const { build } = servicesIn(emissionOf(texts, setup))[service]?.pkg ?? {}
  const lines = run([join(built(build ?? { script: '' }, undefined), 'bin/start')]).stdout.split('\n')
  return Object.fromEntries(lines.filter((line) => line.startsWith('DB')).map((line) => line.split('=', 2)))
}

test('a link is a dependency under its own name, with the addresses of all replicas', () => {
  const texts = stackOf({
    web: `${PROGRAM}, links: { db: scale }`,
    base: `${PROGRAM}, port: 5432, protocol: pg`,
    scale: 'type: mu/autoscaler, target: base, min: 2',
  })
  const services = servicesIn(emissionOf(texts))
  expect(Object.keys(services)).toEqual(['shop.base', 'shop.web'])
  expect(services['shop.web']).toMatchObject({ dependsOn: { db: 'shop.base' }, activatesAfter: [] })
  const [first = '', second = ''] = services['shop.base']?.targets ?? []
  expect([first, second].toSorted()).toEqual(['one', 'two'])
  expect(environmentOf(texts, 'shop.web')).toEqual({
    DB: `pg://${first}.example:5432`,
    DB_HOST: `${first}.example`,
    DB_PORT: '5432',
    DB_ALL: `pg://${first}.example:5432,pg://${second}.example:5432`,
  })
})

test.each([
  ['the property of each target that says how it is reached', { hostname: 'one.example' }, undefined, 'one.example'],
  ['address, if all targets have it', { hostname: 'deploy@one', address: '10.0.0.1' }, undefined, '10.0.0.1'],
  ['the property that the cluster names', { hostname: 'one', lan: 'fd00::1' }, 'lan', '[fd00::1]'],
])('addresses are those of %s', (_, properties, addressProperty, host) => {
  const settings = addressProperty === undefined ? '' : `, settings: { addressProperty: ${addressProperty} }`
  const texts = {
    ...stackOf({ web: `${PROGRAM}, links: { db: base }`, base: `${PROGRAM}, port: 80` }),
    'Muspace.yaml': `clusters: { here: { default: true${settings} } }\n`,
  }
  const targets = new Map([['one', targetWith(properties, ['process'])]])
  expect(environmentOf(texts, 'shop.web', { targets })['DB']).toBe(`http://${host}:80`)
})

test('without an address of all targets, each is reached by the property that says how', () => {
  const texts = stackOf({
    web: `${PROGRAM}, links: { db: scale }`,
    base: `${PROGRAM}, port: 80`,
    scale: 'type: mu/autoscaler, target: base, replicas: 2',
  })
  const targets = new Map([
    ['one', targetWith({ hostname: 'one.example', address: '10.0.0.1' }, ['process'])],
    ['two', { ...targetWith({ hostname: 'deploy@two', lan: 'two.lan' }, ['process']), targetProperty: 'lan' }],
  ])
  const all = environmentOf(texts, 'shop.web', { targets })['DB_ALL']?.split(',').toSorted()
  expect(all).toEqual(['http://one.example:80', 'http://two.lan:80'])
})

test('who waits for several leaves names them in order', () => {
  const texts = stackOf({ a: 'type: mu/gateway, targets: [c, b]', b: `${PROGRAM}, port: 1`, c: `${PROGRAM}, port: 2` })
  expect(servicesIn(emissionOf(texts))['shop.a']).toMatchObject({ activatesAfter: ['shop.b', 'shop.c'] })
})

const INNER =
  'properties: { other: { type: service, optional: true } }\nservices: { public: { a: { type: mu/container, command: [x]%A }, b: { type: mu/container, command: [x] } } }\n'

test.each([
  ['that uses it', ', links: { db: other }', [{ db: 'shop.db' }, []], [{}, []]],
  ['that names it otherwise', ', env: { X: 1 }', [{}, ['shop.db']], [{}, ['shop.db']]],
])('a property of a composite counts for the leaf %s, else for all', (_, use, first, second) => {
  const services = servicesIn(
    emissionOf({
      ...stackOf({ in: 'type: inner, other: db', db: `${PROGRAM}, port: 1` }),
      'inner/Mu.yaml': `name: inner\n${INNER.replace('%A', use)}`,
    }),
  )
  const edges = (name: string) => [services[name]?.dependsOn, services[name]?.activatesAfter]
  expect([edges('shop.in.a'), edges('shop.in.b')]).toEqual([first, second])
})

test('a composite that is named stands for all its public leaves', () => {
  const services = servicesIn(
    emissionOf({
      ...stackOf({ z: 'type: user, other: in', in: 'type: inner' }),
      'inner/Mu.yaml': `name: inner\nservices: { public: { a: { ${PROGRAM} }, b: { ${PROGRAM} } }, private: { c: { ${PROGRAM} } } }\n`,
      'user/Mu.yaml': `name: user\nproperties: { other: { type: inner } }\nservices: { private: { a: { ${PROGRAM} } } }\n`,
    }),
  )
  expect(services['shop.z.a']).toMatchObject({ dependsOn: {}, activatesAfter: ['shop.in.a', 'shop.in.b'] })
})

test.each([
  ['nothing', 'free: 1, size: 1', []],
  ['a property that is neither readonly nor perturbs', 'free: 2, size: 1', []],
  ['a value that comes', 'free: 1, size: 1, given: 1', ['given']],
  ['a value that goes', 'free: 1', ['size']],
])('a change of %s', (_, bag, expected) => {
  const inner = `name: inner
properties:
  size: { type: number, optional: true, readonly: true }
  given: { type: number, optional: true, readonly: true }
  free: { type: number, optional: true }
services: { public: { a: { ${PROGRAM} } } }
`
  const stack = (services: Readonly<Record<string, string>>) =>
    compiled(compileTexts({ ...stackOf(services), 'inner/Mu.yaml': inner }))
  const earlier = compiledDocument(stack({ in: 'type: inner, free: 1, size: 1', old: 'type: inner, size: 5' }))
  const later = stack({ in: `type: inner, ${bag}`, new: 'type: inner, size: 6' })
  const changes = changesSince(earlier, later, { refusesReplacement: true })
  expect(changes.findings.map(({ subjects }) => subjects)).toEqual(expected.map((name) => ['shop/in', name]))
  expect(changes.interruptions).toEqual([])
})

test('an earlier stack of another name is no earlier state of this one, but its services may be', () => {
  const texts = (name: string, size: number) => ({
    'Mu.yaml': `name: ${name}\nproperties: { size: { type: number, default: ${size}, readonly: true } }\nservices: { public: { a: { ${PROGRAM} } } }\n`,
  })
  const earlier = compiledDocument(compiled(compileTexts(texts('shop', 1))))
  const changesTo = (name: string) =>
    changesSince(earlier, compiled(compileTexts(texts(name, 2))), { refusesReplacement: false }).findings
  expect(changesTo('shop').map(({ subjects }) => subjects)).toEqual([['shop', 'size']])
  expect(changesTo('store')).toEqual([])
})

test('davit/x/service is what it says', () => {
  const texts = stackOf({
    db: 'type: davit/x/service, module: echo, source: db, port: 7, attributes: { __proto__: { a: 1 }, deployState: true, type: not, none: , protocol: pg }',
    web: 'type: davit/x/service, module: echo, links: { db: db }, build: { script: "x ${db.port}", sources: { a: a, b: { source: b } }, inputs: { i: { source: i }, j: { build: { script: y, sources: { k: k } } } } }',
  })
  const services = servicesIn(emissionOf(texts))
  const db = services['shop.db']
  expect(db).toMatchObject({ type: 'echo', port: 7, ports: [7], protocol: 'pg', deployState: true })
  expect(Object.getOwnPropertyDescriptor(db, '__proto__')?.value).toEqual({ a: 1 })
  expect(db).not.toHaveProperty('none')
  expect(db?.pkg).toEqual({ source: '/w/db' })
  expect(services['shop.web']).toMatchObject({ dependsOn: { db: 'shop.db' } })
  expect(services['shop.web']?.pkg.build).toEqual({
    script: 'x ${db.port}',
    sources: { a: '/w/a', b: { source: '/w/b' } },
    inputs: { i: { source: '/w/i' }, j: { build: { script: 'y', sources: { k: '/w/k' } } } },
  })
})

const BAD: readonly (readonly [string, Texts, readonly (readonly unknown[])[]])[] = [
  [
    'an intrinsic that is not known',
    { ...stackOf({ q: 'type: cloud/queue' }), 'cloud/queue/Mu.yaml': 'name: cloud/queue\nintrinsic: true\n' },
    [['MU1000', 'cloud/queue']],
  ],
  ['a container with nothing to run', stackOf({ a: 'type: mu/container' }), [['MU610', 'shop/a']]],
  ['a container with an empty command', stackOf({ a: 'type: mu/container, command: []' }), [['MU610', 'shop/a']]],
  [
    'an image where no target has an engine',
    stackOf({ a: `${PROGRAM}, image: x` }),
    [['MU611', 'shop/a', 'docker-container']],
  ],
  ['an image and a package', stackOf({ a: `${PROGRAM}, image: x, build: y` }), [['MU610', 'shop/a']]],
  ['an image that is none', stackOf({ a: `${PROGRAM}, image: "-x"` }), [['MU610', 'shop/a']]],
  [
    'a volume at a relative path in an image',
    stackOf({ a: 'type: mu/container, image: x, volumes: { ./data: v }', v: 'type: mu/volume' }),
    [['MU610', 'shop/a']],
  ],
  [
    'a mode of a volume that only an image mounts',
    stackOf({ a: 'type: mu/container, image: x, volumes: { /data: v }', v: 'type: mu/volume, mode: "0700"' }),
    [['MU610', 'shop/a']],
  ],
  ['a NUL character', stackOf({ a: `${PROGRAM}, env: { X: "\\0" }` }), [['MU610', 'shop/a']]],
  ['a variable that is none', stackOf({ a: `${PROGRAM}, env: { "x-y": 1 }` }), [['MU514', 'x-y']]],
  [
    'a volume at a path',
    stackOf({ a: `${PROGRAM}, volumes: { /data: v }`, v: 'type: mu/volume' }),
    [['MU610', 'shop/a']],
  ],
  ['a mode that is none', stackOf({ v: 'type: mu/volume, mode: "u+x"' }), [['MU610', 'shop/v']]],
  ['a port that is none', stackOf({ a: `${PROGRAM}, port: 65536` }), [['MU610', 'shop/a']]],
  ['an autoscaler without target', stackOf({ s: 'type: mu/autoscaler' }), [['MU610', 'shop/s']]],
  [
    'half a replica',
    stackOf({ a: PROGRAM, s: 'type: mu/autoscaler, target: a, replicas: 1.5' }),
    [['MU610', 'shop/s']],
  ],
  [
    'a service with two packages',
    stackOf({ a: 'type: davit/x/service, module: x, source: a, build: {}' }),
    [['MU610', 'shop/a']],
  ],
  ['a service without a package', stackOf({ a: 'type: davit/x/service, module: x' }), [['MU610', 'shop/a']]],
  ['a link to no port', stackOf({ a: `${PROGRAM}, links: { b: b }`, b: PROGRAM }), [['MU510', 'b', 'mu/container']]],
  [
    'a link that is no variable',
    stackOf({ a: `${PROGRAM}, links: { 1b: b }`, b: `${PROGRAM}, port: 1` }),
    [['MU514', '1b']],
  ],
  [
    'links with the same variables',
    stackOf({ a: `${PROGRAM}, links: { B: b, b: b }`, b: `${PROGRAM}, port: 1` }),
    [['MU502', 'b']],
  ],
  [
    'a container that no target has',
    stackOf({ a: 'type: davit/x/service, module: x, source: x' }),
    [['MU611', 'shop/a', 'x']],
  ],
  [
    'more replicas than targets',
    stackOf({ a: PROGRAM, s: 'type: mu/autoscaler, target: a, replicas: 2' }),
    [['MU611', 'shop/a', 'process']],
  ],
  [
    'a port that another one has',
    stackOf({ a: `${PROGRAM}, port: 1`, b: `${PROGRAM}, port: 1` }),
    [['MU612', 1, 'shop/b', 'shop/a']],
  ],
  [
    'more replicas than targets, on which another one has the port as well',
    stackOf({
      a: `${PROGRAM}, port: 1`,
      b: `${PROGRAM}, port: 1`,
      s: 'type: mu/autoscaler, target: b, replicas: 2',
    }),
    [['MU611', 'shop/b', 'process']],
  ],
  [
    'a port twice beside one volume',
    stackOf({
      a: `${PROGRAM}, port: 1, volumes: { V: v }`,
      b: `${PROGRAM}, port: 1, volumes: { V: v }`,
      v: 'type: mu/volume',
    }),
    [['MU612', 1, 'shop/b', 'shop/a']],
  ],
  [
    'an empty property of addresses',
    {
      ...stackOf({ a: PROGRAM }),
      'Muspace.yaml': 'clusters: { here: { default: true, settings: { volumeDirectory: , addressProperty: "" } } }\n',
    },
    [['MU152', "the setting 'addressProperty' must be the name of a property, but is ''"]],
  ],
  [
    'settings that are none',
    {
      ...stackOf({ a: PROGRAM }),
      'Muspace.yaml': 'clusters: { here: { default: true, settings: { volumeDirectory: x } } }\n',
    },
    [['MU152', "the setting 'volumeDirectory' must be the absolute path of a directory below /, but is 'x'"]],
  ],
]

test.each(BAD)('%s is refused', (_, texts, expected) => {
  const emission = emissionOf(texts, { targets: ONE })
  expect(codesOf(emission)).toEqual(expected)
  expect(emission.kind).toBe('refused')
  expect(emission.findings[0]?.hint ?? 'hint').not.toBe('')
})

/** Where a problem is told: at the value, else at its key, else at the service. */
test.each([
  '▸a: { type: mu/container }',
  'a: { type: mu/container, build: ▸none }',
  'a: { type: mu/container, command: [x], links: { b: ▸q } }',
  'a: { type: mu/container, command: [x], links: { ▸1b: z } }',
  'a: { type: mu/container, command: [x], links: { B: z, ▸b: z } }',
  'a: { type: mu/container, command: [x], port: ▸65536 }',
  'a: { type: mu/container, command: [x], port: 2, ports: [3, ▸0] }',
  'a: { type: mu/container, command: [x], volumes: { ▸/data: v } }',
  'a: { type: mu/container, command: [x], volumes: { ▸d-e: v } }',
  'a: { type: mu/container, command: [x], env: { X: 1, ▸x-y: 1 } }',
  'a: { type: mu/container, command: [x], args: { ▸x-y: 1 } }',
  'a: { type: mu/container, command: [x], env: { X: 1, Y: ▸"\\0" } }',
  'a: { type: mu/container, command: [x, ▸"\\0"] }',
  'a: { type: mu/container, build: b, image: ▸x }',
  'a: { type: mu/container, image: ▸-x }',
  'a: { type: mu/container, image: x, volumes: { ▸./data: v } }',
  'a: { type: mu/container, image: x, volumes: { D: ▸m } }',
  'a: { type: mu/container, image: x, env: { X: ▸"\\0" } }',
  'a: { type: mu/volume, mode: ▸x }',
  '▸a: { type: mu/autoscaler }',
  'a: { type: mu/autoscaler, target: q, replicas: ▸0 }',
  'a: { type: mu/autoscaler, target: q, min: ▸0 }',
  '▸a: { type: mu/gateway }',
  'a: { type: mu/gateway, targets: [z, ▸q] }',
  'a: { type: mu/gateway, targets: ▸[p] }',
  'a: { type: mu/gateway, routes: { /x: ▸p } }',
  'a: { type: mu/gateway, routes: { ▸x: z } }',
  'a: { type: mu/gateway, routes: { /x: z, ▸/x/: z } }',
  '▸a: { type: mu/event, target: z }',
  'a: { type: mu/event, target: ▸q, port: 4 }',
  'a: { type: mu/event, target: z, schedule: ▸never }',
  '▸a: { type: mu/lambda }',
  'a: { type: mu/lambda, code: c, runtime: ▸perl }',
  'a: { type: mu/lambda, code: c, handler: ▸index }',
  'a: { type: mu/lambda, code: c, runtime: program, handler: ▸"\\0" }',
  'a: { type: davit/x/service, module: x, source: ▸none }',
  'a: { type: davit/x/service, module: x, source: ▸x, build: {} }',
  'a: { type: davit/x/service, module: x, build: { sources: { s: ▸none } } }',
  'a: { type: davit/x/service, module: x, build: { sources: { s: { source: ▸none } } } }',
  'a: { type: davit/x/service, module: x, build: { inputs: { i: { build: { sources: { s: ▸none } } } } } }',
  'a: { type: mu/container, command: [x], port: ▸1 }',
  'a: { type: mu/container, command: [x], ports: [4, ▸1] }',
  '▸a: { type: davit/x/service, module: none, source: x }',
  '▸a-b: { type: mu/container, command: [x] }',
])('what is wrong is told where it is: %s', (marked) => {
  const others = [
    'q: { type: mu/container, command: [x] }',
    'v: { type: mu/volume }',
    'm: { type: mu/volume, mode: "0700" }',
    'p: { type: mu/container, command: [x], port: 5, protocol: pg }',
    'Z: { type: mu/container, command: [x], port: 1 }',
    'z: { type: mu/container, command: [x], port: 6 }',
  ]
  const lines = [marked.replace('▸', ''), ...others].map((line) => `  ${line}`)
  const texts = { 'Mu.yaml': `name: shop\nservices:\n public:\n${lines.join('\n')}\n` }
  const { files } = compiled(compileTexts(texts)).options
  const realPath = (path: string) => (path === '/w/none' ? undefined : path)
  const { kind, findings } = emissionOf(texts, { targets: ONE, options: { files: { ...files, realPath } } })
  const column = `  ${marked}`.indexOf('▸') + 1
  expect([kind, findings.map(({ place }) => place)]).toMatchObject(['refused', [{ file: 'Mu.yaml', line: 4, column }]])
})

test.each(['deploy@one', 'ssh://one', 'one:22', ''])('a host %j that others cannot use is refused', (hostname) => {
  const texts = stackOf({ a: `${PROGRAM}, links: { b: b }`, b: `${PROGRAM}, port: 1` })
  const targets = new Map([['one', targetWith({ hostname }, ['process'])]])
  const emission = emissionOf(texts, { targets })
  expect(codesOf(emission)).toEqual([['MU613', 'one', 'hostname']])
  expect(emission.findings).toMatchObject([{ message: "the property 'hostname' of target 'one' is no host name" }])
})

test('a package must be there, and belong to the workspace', () => {
  const stack = stackOf({
    a: 'type: mu/container, build: ../out',
    b: 'type: mu/container, build: none',
    c: 'type: mu/container, build: link',
    d: 'type: mu/container, build: ..',
  })
  const base = compiled(compileTexts(stack)).options
  const files = {
    ...base.files,
    realPath: (path: string) => (path === '/w/none' ? undefined : path === '/w/link' ? '/etc' : path),
  }
  expect(codesOf(emissionOf(stack, { targets: ONE, options: { files } }))).toEqual([
    ['MU103', '../out'],
    ['MU103', 'none'],
    ['MU103', 'link'],
    ['MU103', '..'],
  ])
})

test('a change of the root is told as well, by its name', () => {
  const texts = {
    'Mu.yaml': `name: shop\nproperties: { size: { type: number, default: 1, readonly: true }, speed: { type: number, default: 1, perturbs: true } }\nservices: { public: { a: { ${PROGRAM} } } }\n`,
  }
  const earlier = compiledDocument(compiled(compileTexts(texts)))
  const changesWith = (...words: readonly string[]) =>
    changesSince(earlier, compiled(compileTexts(texts, { words })), { refusesReplacement: false })
  const { findings, interruptions } = changesWith('size=2', 'speed=2')
  expect(findings.map(({ place, message }) => `${place?.file}: ${message}`)).toEqual([
    "<argument size>: 'size' of 'shop' is readonly, but has changed",
  ])
  expect(findings.map(({ code, subjects }) => [code, ...subjects])).toEqual([['MU614', 'shop', 'size']])
  expect(interruptions).toEqual([{ service: 'shop', property: 'speed' }])
  expect(changesWith('size=1')).toEqual({ findings: [], interruptions: [] })
})

const LIMITS = (a: number, b: number) => ({
  ...stackOf({ in: `type: inner, size: ${a}, speed: ${b}` }),
  'inner/Mu.yaml': `name: inner\nproperties: { size: { type: number, readonly: true, perturbs: true }, speed: { type: number, perturbs: true } }\nservices: { public: { a: { ${PROGRAM}, env: { X: 1 } } } }\n`,
})

test.each([
  ['nothing', [1, 1], [], []],
  ['what is readonly', [2, 1], [['MU614', 'shop/in', 'size']], []],
  ['what interrupts', [1, 2], [], [{ service: 'shop/in', property: 'speed' }]],
] as const)('a change of %s is told', (_, [size, speed], codes, interruptions) => {
  const earlier = compiledDocument(compiled(compileTexts(LIMITS(1, 1))))
  const stack = compiled(compileTexts(LIMITS(size, speed)))
  for (const refusesReplacement of [false, true]) {
    const changes = changesSince(earlier, stack, { refusesReplacement })
    expect(changes.findings.map(({ code, subjects }) => [code, ...subjects])).toEqual(codes)
    expect(changes.findings.map(({ place }) => place)).toMatchObject(codes.map(() => ({ line: 4, column: 30 })))
    expect(new Set(changes.findings.map(({ severity }) => severity))).toEqual(
      new Set(codes.length === 0 ? [] : [refusesReplacement ? 'error' : 'warning']),
    )
    expect(changes.interruptions).toEqual(interruptions)
  }
})
