import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf, server, type Texts, user } from './testing.ts'

/** Stacks that are used: `one` has an endpoint, `two` several; `low` is based on `sub`, and that on `one`. */
const STACKS: Texts = {
  'one/Mu.yaml': server('one', '[80]'),
  'sub/Mu.yaml': 'name: sub\nbase: one',
  'low/Mu.yaml': 'name: low\nbase: https://hub.mu.com/sub@latest',
  'two/Mu.yaml': server('two', '[80, 81]'),
  'none/Mu.yaml': 'name: none\nservices: { private: { main: { type: mu/container, port: 1 } } }',
  'pair/Mu.yaml': 'name: pair\nservices: { public: { one: , low: }, private: { two: } }',
  'deep/Mu.yaml': 'name: deep\nservices: { public: { pair: } }',
  'nested/Mu.yaml': 'name: nested\nservices: { public: { low: , leaf: { type: mu/container } } }',
}

/** Compiles a writer `w` that hands something to its service `u`, and gets something itself. */
function written(properties: string, args: string, given = '', declared = '') {
  return compileTexts({
    ...STACKS,
    'Mu.yaml': `name: a
services:
  private: { one: , two: , none: , pair: , deep: , nested: , leaf: { type: mu/container, port: 7 }, outer: , w: { type: w${given && `, ${given}`} } }`,
    'outer/Mu.yaml': server('outer'),
    'w/Mu.yaml': `name: w
properties: { ${declared} }
services:
  private: { one: , sub: , low: , two: , none: , pair: , deep: , nested: , leaf: { type: mu/container, ports: [9, 10], port: 9 }, u: { type: u, ${args} } }`,
    'u/Mu.yaml': user('u', properties),
  })
}

function boundTo(outcome: ReturnType<typeof written>) {
  if (outcome.kind === 'refused') return errorsOf(outcome)
  const service = compiledDocument(outcome.stack).services.get('a/w/u')
  return plain(service?.properties)
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...(value as ReadonlyMap<string, unknown>)].map(([key, one]) => [key, plain(one)]))
}

const at = (service: string, endpoint?: string, port?: number) => ({
  service: `a/${service}`,
  ...(endpoint === undefined ? {} : { endpoint: `a/${endpoint}` }),
  ...(port === undefined ? {} : { port }),
})

test.each<[string, string, unknown]>([
  ['service', 'one', at('w/one', 'w/one/main', 80)],
  ['service', '"one:main"', at('w/one', 'w/one/main', 80)],
  ['service', '"leaf:10"', at('w/leaf', undefined, 10)],
  ['service', '"leaf:7"', [['MU512', '7', 'leaf', 'mu/container']]],
  ['service', '"leaf:main"', [['MU512', 'main', 'leaf', 'mu/container']]],
  ['service', '"leaf:."', [['MU511', 'leaf', 'mu/container']]],
  ['service', 'leaf', [['MU511', 'leaf', 'mu/container']]],
  ['service', 'none', at('w/none')],
  ['service', '"none:."', [['MU510', 'none', 'none']]],
  ['service', '"none:main"', [['MU513', 'main', 'none', 'none']]],
  ['service', '"none:1"', [['MU512', '1', 'none', 'none']]],
  ['service', 'deep', [['MU511', 'pair', 'pair']]],
  ['service', '"deep:."', at('w/deep', 'w/deep/pair')],
  ['service', '"deep:80"', at('w/deep', 'w/deep/pair/low/main', 80)],
  ['service', '"deep:one"', [['MU512', 'one', 'deep', 'deep']]],
  ['service', '"one:a:80"', [['MU514', 'one:a']]],
  ['service', '":"', [['MU514', '']]],
  ['service', '""', [['MU514', '']]],
  ['service', '"one:80 "', [['MU514', '80 ']]],
  ['service', '"one:.."', [['MU514', '..']]],
  ['service', '"o-ne:-"', [['MU514', 'o-ne']]],
  ['service', '"no:-"', [['MU514', '-']]],
  ['service', '"no:80"', [['MU509', 'no']]],
  ['one', 'one', at('w/one')],
  ['one', 'low', at('w/low')],
  ['sub', 'one', [['MU508', 'sub', 'one']]],
  ['sub', 'low', at('w/low')],
  ['https://hub.mu.com/one@latest', 'low', at('w/low')],
  ['git://x.y/one', 'one', at('w/one')],
  ['one', 'nested', at('w/nested', 'w/nested/low')],
  ['one', 'deep', [['MU508', 'one', 'deep']]],
  ['one', 'pair', [['MU508', 'one', 'pair']]],
  ['sub', 'pair', at('w/pair', 'w/pair/low')],
  ['two', 'pair', [['MU508', 'two', 'pair']]],
  ['two', '"pair:two"', [['MU513', 'two', 'pair', 'pair']]],
  ['one', '"pair:low"', at('w/pair', 'w/pair/low')],
  ['two', '"pair:low"', [['MU508', 'two', 'low']]],
  ['one', '"nested:."', [['MU511', 'nested', 'nested']]],
  ['pair', '"deep:."', at('w/deep', 'w/deep/pair')],
  ['one', '"deep:."', [['MU508', 'one', 'pair']]],
  ['mu/container', '"deep:80"', at('w/deep', 'w/deep/pair/low/main', 80)],
  ['one', '"deep:80"', [['MU508', 'one', 'mu/container']]],
  ['mu/container', 'leaf', at('w/leaf')],
  ['mu/container', '"leaf:9"', at('w/leaf', undefined, 9)],
])('of the type %s, %s chooses', (type, given, expected) => {
  const bound = boundTo(written(`  p: { type: "${type}" }`, `p: ${given}`))
  expect(bound).toEqual(Array.isArray(expected) ? expected : { p: expected })
})

test.each<[string, string, string, string, string, unknown]>([
  [
    'services of the writer come before its properties',
    'service',
    'one',
    'one: leaf',
    'one: { type: service }',
    at('w/one', 'w/one/main', 80),
  ],
  ['a property of the writer', 'service', 'peer', 'peer: one', 'peer: { type: service }', at('one', 'one/main', 80)],
  ['its port', 'service', 'peer', 'peer: "two:81"', 'peer: { type: service }', at('two', 'two/main', 81)],
  [
    'its port, for a stack',
    'mu/container',
    'peer',
    'peer: "two:81"',
    'peer: { type: service }',
    at('two', 'two/main', 81),
  ],
  [
    'what was chosen there, not what is around it',
    'one',
    'peer',
    'peer: "pair:low"',
    'peer: { type: one }',
    at('pair', 'pair/low'),
  ],
  [
    'a selector in what was chosen there',
    'service',
    '"peer:main"',
    'peer: "pair:low"',
    'peer: { type: one }',
    at('pair', 'pair/low/main', 80),
  ],
  [
    'a selector that it has not',
    'service',
    '"peer:low"',
    'peer: "pair:low"',
    'peer: { type: one }',
    [['MU512', 'low', 'low', 'low']],
  ],
  [
    'what was chosen there does not fit',
    'one',
    'peer',
    'peer: "pair:low"',
    'peer: { type: service }',
    [['MU508', 'one', 'mu/container']],
  ],
  [
    'a default of the writer, which is one of its services',
    'service',
    'peer',
    '',
    'peer: { type: service, default: "two:81" }',
    at('w/two', 'w/two/main', 81),
  ],
  ['a property that was not given', 'service', 'peer', '', 'peer: { type: service, optional: true }', [['MU506', 'p']]],
  [
    'a property that is null',
    'service',
    'peer',
    'peer: ~',
    'peer: { type: service, optional: true }',
    [['MU506', 'p']],
  ],
  ['a property of another type', 'service', 'peer', 'peer: one', 'peer: { type: string }', [['MU509', 'peer']]],
  [
    'a property that is a list of services',
    'service',
    'peer',
    'peer: [one]',
    'peer: { type: "service[]" }',
    [['MU509', 'peer']],
  ],
  ['a property that may be anything', 'service', 'peer', 'peer: one', 'peer: { type: any }', [['MU509', 'peer']]],
  ['a service of the callee', 'service', 'c', '', '', [['MU509', 'c']]],
  ['a property of the callee', 'service', 'p', '', '', [['MU509', 'p']]],
  ['a service beside the writer', 'service', 'outer', '', '', [['MU509', 'outer']]],
  ['the writer', 'service', 'w', '', '', [['MU509', 'w']]],
])('a name is looked up in the writer: %s', (_, type, given, args, declared, expected) => {
  const bound = boundTo(written(`  p: { type: ${type} }`, `p: ${given}`, args, declared))
  expect(bound).toEqual(Array.isArray(expected) ? expected : { p: expected })
})

test('capabilities are values in lists, maps, objects and schemas; what has no value is left out', () => {
  const properties = `  l: { type: "service[]" }
  m: { type: "map[string]one[]" }
  o: { type: { properties: { s: { type: service }, t: { type: one, optional: true } } } }
  s: { type: { base: service, enum: [one, two] } }
  d: { type: service, optional: true, default: c }`
  const args = 'l: [leaf:9, peer, one], m: { x: [low, peer], y: [] }, o: { s: "two:81", t: peer }, s: one, d: peer'
  const outcome = written(properties, args, '', 'peer: { type: one, optional: true }')
  expect(boundTo(outcome)).toEqual({
    l: [at('w/leaf', undefined, 9), at('w/one', 'w/one/main', 80)],
    m: { x: [at('w/low')], y: [] },
    o: { s: at('w/two', 'w/two/main', 81) },
    s: at('w/one', 'w/one/main', 80),
    d: at('w/u/c'),
  })
  const { services } = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { services: new Map() }
  expect(services.get('a/w/u')).toMatchObject({ dependsOn: ['a/w/leaf', 'a/w/low', 'a/w/one', 'a/w/two'] })
})

test('a default is written by the stack that declares it, also in lists and objects', () => {
  const properties = `  a: { type: service, default: c }
  b: { type: "service[]", default: [c] }
  o: { type: { properties: { s: { type: service, default: c } } } }
  w: { type: service, default: one, optional: true }`
  expect(boundTo(written(properties, 'o: {}, w: one'))).toEqual({
    a: at('w/u/c'),
    b: [at('w/u/c')],
    o: { s: at('w/u/c') },
    w: at('w/one', 'w/one/main', 80),
  })
  expect(boundTo(written(properties, 'o: {}'))).toEqual([['MU509', 'one']])
})

test('bound ports are known whatever the order of validation', () => {
  const outcome = compileTexts({
    'Mu.yaml': `name: a
services:
  private:
    first: { type: mu/gateway, targets: [last, own], routes: { /: "last:5" } }
    last: { type: lamp, ports: [5] }
    own: { type: lamp, ports: ~ }`,
    'lamp/Mu.yaml':
      'name: lamp\nintrinsic: true\nproperties: { port: { type: number, optional: true }, ports: { type: "number[]", default: [6] } }',
  })
  expect(errorsOf(outcome)).toEqual([])
  const { services } = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { services: new Map() }
  expect(plain(services.get('a/first')?.properties)).toEqual({
    port: 80,
    routes: { '/': at('last', undefined, 5) },
    targets: [at('last', undefined, 5), at('own', undefined, 6)],
  })
})

test('a property whose argument has no value has its default, also for those who name it', () => {
  const outcome = compileTexts({
    'Mu.yaml':
      'name: a\nproperties: { peer: { type: service, optional: true } }\nservices: { private: { m: { q: peer } } }',
    'm/Mu.yaml': `name: m
properties: { q: { type: service, default: own } }
services: { private: { own: { type: mu/container, port: 4 }, u: { p: q } } }`,
    'u/Mu.yaml': user('u', '  p: { type: service }'),
  })
  expect(errorsOf(outcome)).toEqual([])
  const { services } = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { services: new Map() }
  const own = at('m/own', undefined, 4)
  expect(['a/m', 'a/m/u'].map((fqn) => plain(services.get(fqn)?.properties))).toEqual([{ q: own }, { p: own }])
})

test('a port that is written twice is one endpoint', () => {
  const { kind, findings } = compileTexts({
    'Mu.yaml':
      'name: a\nservices: { private: { c: { type: mu/container, port: 3, ports: [3] }, g: { type: mu/gateway, targets: [c, "c:."] } } }',
  })
  expect([kind, findings]).toEqual(['compiled', []])
})

test('stacks are the same if their files are, also those of other names', () => {
  const outcome = compileTexts({
    'Muspace.yaml': 'namespace: acme',
    'Mu.yaml':
      'name: a\nservices: { private: { u: { type: u, p: x, q: y }, x: { type: acme/lamp }, y: { type: lamp } } }',
    'u/Mu.yaml': user('u', '  p: { type: "https://hub.mu.com/lamp" }\n  q: { type: acme/lamp }'),
    'lamp/Mu.yaml': 'name: lamp\nintrinsic: true',
  })
  expect(errorsOf(outcome)).toEqual([])
})

test('the root writes its defaults, and nobody its arguments', () => {
  const texts = {
    'Mu.yaml': `name: a
properties: { s: { type: service, default: c }, t: { type: mu/container, optional: true } }
services: { private: { c: { type: mu/container, port: 3 }, g: { type: mu/gateway, targets: [s, t] } } }`,
  }
  const told = (words: readonly string[]) => {
    const outcome = compileTexts(texts, { words })
    if (outcome.kind === 'refused') return errorsOf(outcome)
    const { properties, services } = compiledDocument(outcome.stack)
    return [properties, services.get('a/g')?.properties.get('targets')].map(plain)
  }
  expect(told([])).toEqual([{ s: at('c', undefined, 3) }, [at('c', undefined, 3)]])
  expect(told(['s=c', 't=c:3'])).toEqual([
    ['MU509', 'c'],
    ['MU509', 'c'],
  ])
})
