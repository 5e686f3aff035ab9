import { expect, test } from 'vitest'
import { codesOf, emissionOf, servicesIn, stackOf, targetsNamed, targetWith } from './testing.ts'

const PROGRAM = 'type: mu/container, command: [x]'

type Texts = Parameters<typeof emissionOf>[0]

function edgesIn(texts: Texts, ...names: readonly string[]) {
  const services = servicesIn(emissionOf(texts))
  return names.map((name) => [services[name]?.dependsOn, services[name]?.activatesAfter])
}

/** A stack with these properties, and two containers: the first has more arguments. */
function pair(name: string, properties: string, more = ''): string {
  return `name: ${name}\nproperties: { ${properties} }\nservices: { public: { a: { ${PROGRAM}${more} }, b: { ${PROGRAM} } } }\n`
}

test.each([
  ['volumes', `${PROGRAM}, volumes: { V: disk }`, ['shop.disk']],
  ['after', 'type: davit/x/service, module: echo, source: s, after: [two, one]', ['shop.one', 'shop.two']],
  ['routes', 'type: mu/gateway, port: 8, routes: { /a: two }', ['shop.two']],
  ['targets', 'type: mu/gateway, port: 8, targets: [two, one]', ['shop.one', 'shop.two']],
  ['target', 'type: mu/event, port: 8, target: one', ['shop.one']],
  ['a link, too', 'type: davit/x/service, module: echo, source: s, after: [one], links: { one: one }', []],
])('a service is activated after those that its property names: %s', (_, service, after) => {
  const texts = stackOf({
    main: service,
    disk: 'type: mu/volume',
    one: `${PROGRAM}, port: 1`,
    two: `${PROGRAM}, port: 2`,
  })
  expect(servicesIn(emissionOf(texts))['shop.main']?.activatesAfter).toEqual(after)
})

test('a service that is selected in a composite is what is waited for, alone', () => {
  const two = `name: two\nservices: { public: { a: { ${PROGRAM}, port: 1 }, b: { ${PROGRAM}, port: 2 } } }\n`
  const texts = {
    ...stackOf({
      in: 'type: two',
      x: 'type: mu/gateway, port: 8, targets: ["in:a"]',
      y: 'type: mu/gateway, port: 9, targets: ["in:2"]',
      z: `${PROGRAM}, links: { b: "in:b" }`,
    }),
    'two/Mu.yaml': two,
  }
  expect(edgesIn(texts, 'shop.x', 'shop.y', 'shop.z')).toEqual([
    [{}, ['shop.in.a']],
    [{}, ['shop.in.b']],
    [{ b: 'shop.in.b' }, []],
  ])
})

test('each property of a composite counts for itself, even if another one names the same service', () => {
  const texts = {
    ...stackOf({
      in: 'type: pair, used: "db:left", other: "db:right", more: [last]',
      db: 'type: two',
      last: PROGRAM,
    }),
    'pair/Mu.yaml': pair(
      'pair',
      'used: { type: service }, other: { type: service }, more: { type: "service[]" }',
      ', links: { db: used }',
    ),
    'two/Mu.yaml': `name: two\nservices: { public: { left: { ${PROGRAM}, port: 1 }, right: { ${PROGRAM}, port: 2 } } }\n`,
  }
  expect(edgesIn(texts, 'shop.in.a', 'shop.in.b')).toEqual([
    [{ db: 'shop.db.left' }, ['shop.db.right', 'shop.last']],
    [{}, ['shop.db.right', 'shop.last']],
  ])
})

test('a property that is handed on counts for the leaves of whoever gets it', () => {
  const texts = {
    ...stackOf({ out: 'type: outer, given: db', db: PROGRAM }),
    'outer/Mu.yaml': `name: outer\nproperties: { given: { type: service } }\nservices: { public: { c: { ${PROGRAM} }, in: { type: pair, got: given } } }\n`,
    'pair/Mu.yaml': pair('pair', 'got: { type: service }'),
  }
  expect(edgesIn(texts, 'shop.out.c', 'shop.out.in.a', 'shop.out.in.b')).toEqual([
    [{}, []],
    [{}, ['shop.db']],
    [{}, ['shop.db']],
  ])
})

test('a property that names a service within, by default, is an order of the others', () => {
  const texts = {
    ...stackOf({ in: 'type: pair' }),
    'pair/Mu.yaml': pair('pair', 'first: { type: service, default: a }'),
  }
  expect(edgesIn(texts, 'shop.in.a', 'shop.in.b')).toEqual([
    [{}, []],
    [{}, ['shop.in.a']],
  ])
})

test('nothing is an order after a service within that waits for it', () => {
  const texts = {
    ...stackOf({ in: 'type: house' }),
    'house/Mu.yaml': `name: house
properties: { first: { type: service, default: a } }
services:
  public:
    a: { ${PROGRAM}, links: { z: z } }
    free: { ${PROGRAM} }
    late: { ${PROGRAM} }
    z: { type: ends, end: late }
`,
    'ends/Mu.yaml': `name: ends
properties: { end: { type: service } }
services: { public: { b: { ${PROGRAM}, port: 1 } } }
`,
  }
  expect(edgesIn(texts, 'shop.in.a', 'shop.in.free', 'shop.in.late', 'shop.in.z.b')).toEqual([
    [{ z: 'shop.in.z.b' }, []],
    [{}, ['shop.in.a']],
    [{}, []],
    [{}, ['shop.in.late']],
  ])
})

test('an autoscaler stands for its target, and a composite for the function in it', () => {
  const services = servicesIn(
    emissionOf({
      ...stackOf({
        web: `${PROGRAM}, port: 1`,
        scale: 'type: mu/autoscaler, target: web',
        fn: 'type: box',
        x: `${PROGRAM}, links: { scale: scale, fn: fn }`,
        y: 'type: mu/event, port: 3, targets: [scale, fn]',
      }),
      'box/Mu.yaml': 'name: box\nservices: { public: { f: { type: mu/lambda, code: c } } }\n',
    }),
  )
  expect(services['shop.x']?.dependsOn).toEqual({ scale: 'shop.web', fn: 'shop.fn.f' })
  expect(services['shop.y']?.activatesAfter).toEqual(['shop.fn.f', 'shop.web'])
})

test.each([
  ['a link', `${PROGRAM}, links: { w: w }`],
  ['a target of a gateway', 'type: mu/gateway, targets: [w]'],
  ['a route of a gateway', 'type: mu/gateway, routes: { /w: w }'],
  ['a target of an event', 'type: mu/event, port: 1, target: w'],
  ['one of several', 'type: mu/event, port: 1, targets: [w]'],
])('%s has exactly one port', (_, service) => {
  const emission = emissionOf(stackOf({ main: service, w: PROGRAM }))
  expect([emission.kind, codesOf(emission)]).toEqual(['refused', [['MU510', 'w', 'mu/container']]])
  const scaled = stackOf({ main: service, v: PROGRAM, w: 'type: mu/autoscaler, target: v' })
  expect(codesOf(emissionOf(scaled))).toEqual([['MU510', 'w', 'mu/autoscaler']])
})

test('a composite that is selected, and has several ports, is no end of a link', () => {
  const texts = {
    ...stackOf({ in: 'type: outer', x: `${PROGRAM}, links: { b: "in:b" }` }),
    'outer/Mu.yaml': 'name: outer\nservices: { public: { b: { type: two } } }\n',
    'two/Mu.yaml': `name: two\nservices: { public: { a: { ${PROGRAM}, port: 1 }, b: { ${PROGRAM}, port: 2 } } }\n`,
  }
  expect(codesOf(emissionOf(texts))).toEqual([['MU510', 'b', 'two']])
})

test('a service has the attributes of its ports only if it has any', () => {
  const services = servicesIn(
    emissionOf(stackOf({ a: PROGRAM, b: `${PROGRAM}, port: 3, ports: [4, 3], protocol: pg` })),
  )
  expect(services['shop.a']).toMatchObject({ type: 'process', stack: 'mu/container' })
  for (const attribute of ['port', 'ports', 'protocol']) expect(services['shop.a']).not.toHaveProperty(attribute)
  expect(services['shop.b']).toMatchObject({ port: 3, ports: [3, 4], protocol: 'pg' })
})

test.each([
  ['a name of a service', stackOf({ 'a-b': PROGRAM }), ['a-b']],
  ['a name that begins with a digit', stackOf({ '9a': PROGRAM }), ['9a']],
  ['a name in several parts', stackOf({ 'a/b.c': PROGRAM }), ['b.c']],
  ['the name of the stack', stackOf({ a: PROGRAM, b: PROGRAM }, 'my-shop'), ['my-shop']],
  [
    'the name of a composite, once',
    { ...stackOf({ 'in.1': 'type: pair' }), 'pair/Mu.yaml': pair('pair', '') },
    ['in.1'],
  ],
])('%s that is none is refused', (_, texts, parts) => {
  const emission = emissionOf(texts)
  expect([emission.kind, codesOf(emission)]).toEqual(['refused', parts.map((part) => ['MU514', part])])
})

test('names of services have a limit', () => {
  const name = 'x'.repeat(191)
  expect(Object.keys(servicesIn(emissionOf(stackOf({ [name]: PROGRAM }))))).toEqual([`shop.${name}`])
  expect(codesOf(emissionOf(stackOf({ [`${name}x`]: PROGRAM })))).toEqual([['MU514', `shop/${name}x`]])
})

test('back ends go by the name of a stack, wherever it is', () => {
  const texts: Texts = {
    ...stackOf({ a: 'type: house/program', b: 'type: house/disk' }),
    'house/program/Mu.yaml':
      'name: mu/container\nintrinsic: true\nproperties: { command: { type: "string[]", default: [x] } }\n',
    'house/disk/Mu.yaml': 'name: house/disk\nintrinsic: true\nbase: mu/volume\n',
  }
  expect(codesOf(emissionOf(texts))).toEqual([['MU1000', 'house/disk']])
  const { 'Mu.yaml': both = '', ...others } = texts
  const services = servicesIn(emissionOf({ 'Mu.yaml': both.replace(/^ {4}b.*\n/m, ''), ...others }))
  expect(services['shop.a']).toMatchObject({ type: 'process', stack: 'mu/container' })
})

test.each([
  ['that the cluster names', { hostname: 'one', lan: 'a b' }, 'lan', 'lan'],
  ['that the cluster names, and it lacks', { hostname: 'one' }, 'lan', 'lan'],
  ['that all targets have', { hostname: 'one', address: '10.0.0.1:22' }, undefined, 'address'],
])('an address %s must be a host', (_, properties: Readonly<Record<string, string>>, addressProperty, property) => {
  const settings = addressProperty === undefined ? '' : `, settings: { addressProperty: ${addressProperty} }`
  const texts = {
    ...stackOf({ a: `${PROGRAM}, links: { b: b, c: b }`, b: `${PROGRAM}, port: 1` }),
    'Muspace.yaml': `clusters: { here: { default: true${settings} } }\n`,
  }
  const targets = new Map([['one', targetWith(properties, ['process'])]])
  expect(codesOf(emissionOf(texts, { targets }))).toEqual([['MU613', 'one', property]])
})

test('who needs no address may be on a target that has none', () => {
  const targets = new Map([['one', targetWith({}, ['process'])]])
  expect(emissionOf(stackOf({ a: `${PROGRAM}, port: 1` }), { targets }).kind).toBe('emitted')
})

test.each([
  ['replicas', 'replicas: 2, min: 3', 2],
  ['min, if there are none', 'min: 2, max: 3', 2],
  ['one, if nothing is said', 'max: 3', 1],
])('an autoscaler runs its target as often as it says: %s', (_, counts, expected) => {
  const texts = stackOf({ a: PROGRAM, s: `type: mu/autoscaler, target: a, ${counts}` })
  const services = servicesIn(emissionOf(texts, { targets: targetsNamed(['m1', 'm2', 'm3', 'm4']) }))
  expect(Object.keys(services)).toEqual(['shop.a'])
  expect(services['shop.a']?.targets).toHaveLength(expected)
})

test.each([
  ['several autoscalers name it', { s: 'target: a, replicas: 3', t: 'target: a, replicas: 2' }, 'shop.a'],
  ['it is in a composite', { s: 'target: in, replicas: 3' }, 'shop.in.a'],
  ['another autoscaler names its autoscaler', { s: 'target: t, replicas: 3', t: 'target: a' }, 'shop.a'],
])('a service runs as often as an autoscaler says, even if %s', (_, autoscalers, name) => {
  const scaled = Object.entries(autoscalers).map(([key, properties]) => [key, `type: mu/autoscaler, ${properties}`])
  const texts = {
    ...stackOf({ a: PROGRAM, in: 'type: inner', ...(Object.fromEntries(scaled) as Record<string, string>) }),
    'inner/Mu.yaml': `name: inner\nservices: { public: { a: { ${PROGRAM} } } }\n`,
  }
  const services = servicesIn(emissionOf(texts, { targets: targetsNamed(['m1', 'm2', 'm3']) }))
  expect(services[name]?.targets).toHaveLength(3)
})

test('a stack with services is no autoscaler, whatever its name', () => {
  const texts = {
    ...stackOf({ s: 'type: house/scaler', x: `${PROGRAM}, links: { s: s }` }),
    'house/scaler/Mu.yaml': `name: mu/autoscaler\nservices: { public: { a: { ${PROGRAM}, port: 1 } } }\n`,
  }
  expect(servicesIn(emissionOf(texts))['shop.x']?.dependsOn).toEqual({ s: 'shop.s.a' })
})

test.each([
  ['nothing to build or run', 'script: "x"', [['MU610', 'shop/a']]],
  ['an image, and a script that nobody needs', 'image: x, script: "x"', []],
])('a container with %s', (_, properties, expected) => {
  const targets = targetsNamed(['one'], ['docker-container'])
  expect(codesOf(emissionOf(stackOf({ a: `type: mu/container, ${properties}` }), { targets }))).toEqual(expected)
})
