import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf, type Texts } from './testing.ts'

function servicesOf(texts: Texts) {
  const outcome = compileTexts(texts)
  expect(errorsOf(outcome)).toEqual([])
  return outcome.kind === 'compiled' ? compiledDocument(outcome.stack).services : new Map<string, never>()
}

const BASE = `name: base
abstract: true
properties: { p: { type: string, default: x }, q: { type: word, default: a } }
schema: { private: { word: { base: string, enum: [a] } } }
stacks: { private: { kind: { type: mu/container, env: { K: base } } } }
services:
  private:
    one: { type: kind, env: { A: { B: 1, C: [1, 2] }, D: { x: 1 }, E: 1, F: 1, P: "{{orElse .args "p" "none"}}" } }
  public:
    two: { type: mu/container }
`

test('services are merged deeply, and see the nested stacks and schemas of the subclass', () => {
  const services = servicesOf({
    'Mu.yaml': 'name: root\nservices: { public: { s: { type: sub, p: given, q: b } } }',
    'base/Mu.yaml': BASE,
    'sub/Mu.yaml': `name: sub
base: base
schema: { private: { word: { base: string, enum: [b] } } }
stacks: { private: { kind: { type: mu/container, env: { K: sub } } } }
services: { public: { one: { env: { A: { C: [3] }, D: 2, E: { y: 2 }, F: 2 }, port: 5 } } }`,
  })
  expect(services.get('root/s')).toMatchObject({ type: 'sub', chain: ['sub', 'base'] })
  expect(services.get('root/s')?.properties).toEqual(
    new Map([
      ['p', 'given'],
      ['q', 'b'],
    ]),
  )
  const one = services.get('root/s/one')
  expect(one).toMatchObject({ public: true, endpoints: [5] })
  const a = new Map<string, unknown>([
    ['B', 1],
    ['C', [3]],
  ])
  expect(one?.properties.get('env')).toEqual(
    new Map<string, unknown>([
      ['K', 'sub'],
      ['A', a],
      ['D', 2],
      ['E', new Map([['y', 2]])],
      ['F', 2],
      ['P', 'given'],
    ]),
  )
  expect(services.get('root/s/two')).toMatchObject({ public: true })
})

test('services of a subclass and of its base are in one order, and any key is the name of an inherited one', () => {
  const services = servicesOf({
    'Mu.yaml':
      'name: root\nbase: base\nservices: { public: { b: { type: mu/container }, my-log: { port: 2 }, n/log: { port: 3 } }, private: { y: { type: mu/container } } }',
    'base/Mu.yaml':
      'name: base\nservices: { private: { z: { type: mu/container }, my-log: { type: mu/container }, n/log: { type: mu/container } }, public: { c: { type: mu/container } } }',
  })
  expect([...services.keys()]).toEqual(['root/y', 'root/z', 'root/b', 'root/c', 'root/my-log', 'root/n/log'])
  expect(services.get('root/my-log')).toMatchObject({ public: true, endpoints: [2] })
  expect(services.get('root/n/log')).toMatchObject({ public: true, endpoints: [3] })
})

test('a service may become one of a subclass of its stack', () => {
  const services = servicesOf({
    'Mu.yaml': 'name: root\nbase: base\nservices: { private: { s: { type: sub } } }',
    'base/Mu.yaml': 'name: base\nabstract: true\nservices: { private: { s: { type: super } } }',
    'super/Mu.yaml': 'name: super\nabstract: true',
    'sub/Mu.yaml': 'name: sub\nbase: super\nservices: { private: { c: { type: mu/container } } }',
  })
  expect(services.get('root/s')?.type).toBe('sub')
})

test('properties may be declared again with narrower types', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: root\nservices: { public: { s: { type: sub } } }',
    'base/Mu.yaml': `name: base
abstract: true
properties:
  a: { type: any, optional: true }
  b: { type: service, optional: true }
  c: { type: super, optional: true }
  d: { type: "map[string]super[]", optional: true }
  e: { type: string, optional: true }
  f: { type: word, optional: true }
  g: { type: kind, optional: true }
  h: { type: { base: string, enum: [a] }, optional: true }
  i: { type: { properties: { x: { type: word }, y: { type: any } } }, optional: true }
schema: { private: { word: { base: string } } }
stacks: { private: { kind: { abstract: true } } }`,
    'super/Mu.yaml': 'name: super\nabstract: true',
    'middle/Mu.yaml': 'name: middle\nbase: super\nabstract: true',
    'lower/Mu.yaml': 'name: lower\nbase: middle\nabstract: true',
    'sub/Mu.yaml': `name: sub
base: base
properties:
  a: { type: "number[]", optional: true }
  b: { type: super, optional: true }
  c: { type: lower, optional: true }
  d: { type: "map[string]middle[]", optional: true }
  e: { type: { base: string, minLength: 1 }, optional: true }
  f: { type: { base: word, maxLength: 3 }, optional: true }
  g: { type: kind, optional: true }
  h: { type: { base: string, enum: [a] }, default: a }
  i: { type: { properties: { y: { type: any }, x: { type: word } } }, default: { x: x, y: y } }
services: { private: { c: { type: mu/container } } }`,
  })
  expect(errorsOf(outcome)).toEqual([])
})

test('a nested stack with a body sees what is around it, and may be based on another one', () => {
  const services = servicesOf({
    'Mu.yaml': `name: root
schema: { private: { word: { base: string, enum: [w] } } }
stacks:
  private:
    plain: { type: mu/container, port: 7 }
    house: { abstract: true, properties: { p: { type: word } }, services: { public: { c: { type: plain } } } }
    villa: { base: house, services: { public: { c: { env: { A: "1" } } } } }
services: { private: { v: { type: villa, p: w }, w: { type: mu/gateway, targets: [v] } } }`,
  })
  expect(services.get('root/v')).toMatchObject({ type: 'villa', chain: ['villa', 'house'], endpoints: ['root/v/c'] })
  expect(services.get('root/v')).not.toHaveProperty('ref')
  expect(services.get('root/v/c')).toMatchObject({ type: 'mu/container', endpoints: [7] })
  expect(services.get('root/w')?.properties.get('targets')).toEqual([
    { service: 'root/v', endpoint: 'root/v/c', port: 7 },
  ])
})

test('a nested stack is meant by its name alone', () => {
  const services = servicesOf({
    'Mu.yaml': `name: root
stacks: { private: { s: { type: mu/container } } }
schema: { private: { w: { base: string } } }
services: { private: { a: { type: s }, b: { type: s@latest }, c: { type: "https://s" }, d: { type: hub.mu.com/s }, e: { type: w } } }`,
    's/Mu.yaml': 'name: s\nintrinsic: true',
    'w/Mu.yaml': 'name: w\nintrinsic: true',
  })
  expect([...services.values()].map(({ type }) => type)).toEqual(['mu/container', 's', 's', 's', 'w'])
})

const HOLDER = `name: holder
properties:
  peer: { type: service, optional: true }
  own: { type: service, default: inner }
services:
  private:
    inner: { type: mu/container, port: 1 }
    user: { type: mu/container, links: { peer: peer, own: own } }
    many: { type: mu/gateway, targets: [peer, inner] }
`

test('a default is written by the stack that declares it, and its own services are no dependencies', () => {
  const services = servicesOf({
    'Mu.yaml': 'name: root\nservices: { private: { h: { type: holder } } }',
    'holder/Mu.yaml': HOLDER,
  })
  expect(services.get('root/h')).toMatchObject({ dependsOn: [] })
  expect(services.get('root/h')?.properties.get('own')).toEqual({ service: 'root/h/inner', port: 1 })
  expect(services.get('root/h/user')).toMatchObject({ dependsOn: ['root/h/inner'] })
})

test('a property of the writer that was not given is absent', () => {
  const services = servicesOf({
    'Mu.yaml': 'name: root\nservices: { private: { h: { type: holder } } }',
    'holder/Mu.yaml': HOLDER,
  })
  expect(services.get('root/h/user')?.properties.get('links')).toEqual(
    new Map([['own', { service: 'root/h/inner', port: 1 }]]),
  )
  expect(services.get('root/h/many')?.properties.get('targets')).toEqual([{ service: 'root/h/inner', port: 1 }])
})

test('a property of the writer stands for what was chosen where it was given, with its port', () => {
  const services = servicesOf({
    'Mu.yaml':
      'name: root\nservices: { private: { h: { type: holder, peer: "two:81" }, two: { type: mu/container, ports: [80, 81] } } }',
    'holder/Mu.yaml': HOLDER,
  })
  expect(services.get('root/h/user')).toMatchObject({ dependsOn: ['root/h/inner', 'root/two'] })
  const links = services.get('root/h/user')?.properties.get('links') as Map<string, unknown>
  expect(links.get('peer')).toEqual({ service: 'root/two', port: 81 })
})

test('defaults that name each other lead nowhere', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: root\nservices: { private: { h: { type: holder } } }',
    'holder/Mu.yaml':
      'name: holder\nproperties: { a: { type: service, default: b }, b: { type: service, default: a } }\nservices: { private: { c: { type: mu/container } } }',
  })
  expect(errorsOf(outcome).map(([code]) => code)).toContain('MU509')
})

test('the order has first what others wait for, and the least name among equals', () => {
  const outcome = compileTexts({
    'Mu.yaml':
      'name: r\nservices: { private: { a: { type: mu/gateway, targets: [d] }, b: { type: mu/container }, c: { type: mu/event, target: a }, d: { type: mu/container, port: 1 } } }',
  })
  expect(outcome.kind === 'compiled' && compiledDocument(outcome.stack).order).toEqual(['r/b', 'r/d', 'r/a', 'r/c'])
})
