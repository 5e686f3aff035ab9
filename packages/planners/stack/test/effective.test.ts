import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf, ONE, server, type Texts, user } from './testing.ts'

function documentOf(texts: Texts) {
  const outcome = compileTexts(texts)
  expect(errorsOf(outcome)).toEqual([])
  if (outcome.kind === 'refused') throw new Error('refused')
  return compiledDocument(outcome.stack)
}

test('a property that is declared again replaces the whole declaration', () => {
  const base = 'name: b\nabstract: true\nproperties: { p: { type: any, default: 1, optional: true, readonly: true } }'
  const texts = (args: string) => ({
    'Mu.yaml': `name: a\nservices: { private: { x: { type: c${args} } } }`,
    'b/Mu.yaml': base,
    'c/Mu.yaml': `name: c\nbase: b\nproperties: { p: { type: string, perturbs: true } }\n${ONE}`,
  })
  expect(errorsOf(compileTexts(texts('')))).toEqual([['MU506', 'p']])
  expect(documentOf(texts(', p: x')).services.get('a/x')).toMatchObject({ readonly: [], perturbs: ['p'] })
})

test('a base is itself an effective stack: whatever its own base declares is inherited too', () => {
  const { services } = documentOf({
    'Mu.yaml': 'name: a\nservices: { private: { x: { type: c, p: w, q: w } } }',
    'b/Mu.yaml': `name: b
abstract: true
properties: { p: { type: string } }
schema: { private: { word: { base: string } } }
stacks: { private: { kind: { type: mu/container } } }
services: { private: { one: { type: mu/volume } } }`,
    'm/Mu.yaml': 'name: m\nbase: b\nabstract: true',
    'c/Mu.yaml':
      'name: c\nbase: m\nproperties: { q: { type: word } }\nservices: { private: { one: {}, two: { type: kind } } }',
  })
  expect([...services].map(([fqn, { type }]) => [fqn, type])).toEqual([
    ['a/x', 'c'],
    ['a/x/one', 'mu/volume'],
    ['a/x/two', 'mu/container'],
  ])
})

test('properties of a subclass and of its base are in one order', () => {
  const texts = {
    'Mu.yaml': 'name: a\nservices: { private: { x: { type: c } } }',
    'b/Mu.yaml': 'name: b\nabstract: true\nproperties: { q: { type: any }, o: { type: any } }',
    'c/Mu.yaml': `name: c\nbase: b\nproperties: { p: { type: any }, n: { type: any } }\n${ONE}`,
  }
  expect(errorsOf(compileTexts(texts)).map(([, name]) => name)).toEqual(['n', 'o', 'p', 'q'])
})

test('metadata is not inherited, nor is the version, which none has that states none', () => {
  const stated = 'version: 2.0.0\ndescription: d\nauthor: e\nkeywords: [f]\napi: g'
  const { metadata, services } = documentOf({
    'Mu.yaml': 'name: a\nbase: b\nservices: { private: { x: { type: c@1.0.0 } } }',
    'b/Mu.yaml': server('b', '[80]', stated),
    'c/Mu.yaml': 'name: c\nbase: b',
  })
  expect([...metadata]).toEqual([['name', 'a']])
  expect(services.get('a/x')).toMatchObject({ type: 'c', chain: ['c', 'b'], ref: 'https://hub.mu.com/c@1.0.0' })
})

test.each<[string, string, readonly unknown[]]>([
  ['shapes', 'name: b\nabstract: []', [['MU151']]],
  ['templates', 'name: b\nabstract: true\n{{panic "no"}}', [['MU153']]],
  ['the name', 'abstract: true', [['MU500']]],
  ['names', 'name: b\nservices: { private: { n/u: , m/u: } }', [['MU502', 'u']]],
  ['files', 'name: b\nservices: { private: { x: { type: no } } }', [['MU503', 'https://hub.mu.com/no@latest']]],
  [
    'words',
    'name: b\nabstract: true\nproperties: { q: { type: nope } }',
    [['MU503', 'https://hub.mu.com/nope@latest']],
  ],
  ['services', 'name: b', [['MU504']]],
  [
    'types',
    'name: b\nabstract: true\nproperties: { p: { type: "int[]" } }',
    [['MU503', 'https://hub.mu.com/int@latest']],
  ],
  [
    'schemas',
    'name: b\nabstract: true\nschema: { private: { s: { base: number, pattern: x } } }',
    [['MU517', 'pattern', 'string', 'number']],
  ],
])('what is wrong with a base stops all of its subclasses, and is told once: %s', (_, base, expected) => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nservices: { private: { x: { type: c }, y: { type: d }, z: { type: c } } }',
    'b/Mu.yaml': base,
    'c/Mu.yaml': 'name: c\nbase: b\nproperties: { p: { type: "char[]" } }\nservices: { private: { v: { type: abs } } }',
    'd/Mu.yaml': 'name: d\nbase: b\nservices: { private: { v: { type: abs } } }',
    'abs/Mu.yaml': 'name: abs\nabstract: true',
  })
  expect([...new Set(errorsOf(outcome).map((one) => JSON.stringify(one)))]).toEqual(
    expected.map((one) => JSON.stringify(one)),
  )
})

test('a base makes no services, and reads none of their files', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nbase: b\nservices: { private: { x: { type: sub }, y: { p: 1 } } }',
    'b/Mu.yaml': 'name: b\nservices: { private: { x: { type: abs }, y: { type: odd }, z: { type: abs } } }',
    'abs/Mu.yaml': 'name: abs\nabstract: true',
    'sub/Mu.yaml': `name: sub\nbase: abs\n${ONE}`,
    'odd/Mu.yaml': `name: odd\nproperties: { p: { type: number } }\n{{require (has .args "p") "no p"}}\n${ONE}`,
  })
  expect(errorsOf(outcome)).toEqual([['MU505', 'z', 'abs']])
})

test('the base sees the arguments of the subclass', () => {
  const { services } = documentOf({
    'Mu.yaml': 'name: a\nservices: { private: { x: { type: c, n: 7 }, y: { type: c, n: 8 } } }',
    'b/Mu.yaml':
      'name: b\nproperties: { n: { type: number } }\nservices: { public: { m: { type: mu/container, port: {{.args.n}} } } }',
    'c/Mu.yaml': 'name: c\nbase: b',
  })
  expect(['a/x/m', 'a/y/m'].map((fqn) => services.get(fqn)?.endpoints)).toEqual([[7], [8]])
})

test.each(['log: {}', 'log:', 'log: ~'])(
  'the name of an inherited service is no reference, whatever there is: %s',
  (again) => {
    const { services } = documentOf({
      'Mu.yaml': `name: a\nbase: b\nservices: { private: { ${again} } }`,
      'b/Mu.yaml': 'name: b\nservices: { private: { log: { type: mu/container, port: 9 } } }',
      'log/Mu.yaml': server('log'),
    })
    expect([...services.values()].map(({ type, endpoints }) => [type, endpoints])).toEqual([['mu/container', [9]]])
  },
)

test.each<[string, string, readonly unknown[]]>([
  ['the same stack', 'kind', []],
  ['the same file by another spelling', 'https://hub.mu.com/mu/kind@latest', []],
  ['a subclass', 'sub', []],
  ['a subclass of a subclass', 'lower', []],
  ['a nested stack that is a subclass', 'inner', []],
  ['another one', 'mu/volume', [['MU508', 'mu/kind', 'mu/volume']]],
  ['a base of it', 'super', [['MU508', 'mu/kind', 'super']]],
])('a service may be declared again with %s', (_, type, expected) => {
  const outcome = compileTexts({
    'Mu.yaml': `name: a\nbase: b\nstacks: { private: { inner: { base: sub } } }\nservices: { public: { x: { type: ${type === 'kind' ? 'mu/kind' : type} } } }`,
    'b/Mu.yaml': 'name: b\nservices: { public: { x: { type: mu/kind } } }',
    'super/Mu.yaml': server('super'),
    'mu/kind/Mu.yaml': 'name: mu/kind\nbase: super',
    'sub/Mu.yaml': 'name: sub\nbase: mu/kind',
    'lower/Mu.yaml': 'name: lower\nbase: sub',
  })
  expect(errorsOf(outcome)).toEqual(expected)
})

test.each<[string, string, readonly unknown[]]>([
  ['private to public', 'public: { p: }', []],
  ['private to private', 'private: { p: }', []],
  ['public to public', 'public: { q: }', []],
  ['public to private', 'private: { q: }', [['MU606', 'q', 'a']]],
])('visibility from %s', (_, again, expected) => {
  const outcome = compileTexts({
    'Mu.yaml': `name: a\nbase: b\nservices: { ${again} }`,
    'b/Mu.yaml': 'name: b\nservices: { private: { p: { type: mu/container } }, public: { q: { type: mu/container } } }',
  })
  expect(errorsOf(outcome)).toEqual(expected)
})

test.each<[string, Texts, readonly unknown[]]>([
  ['itself', { 'b/Mu.yaml': 'name: b\nbase: b' }, ['MU602', 'b']],
  [
    'one that leads to a ring, which it is not in',
    {
      'b/Mu.yaml': 'name: b\nbase: z',
      'z/Mu.yaml': 'name: z\nbase: m',
      'm/Mu.yaml': 'name: m\nbase: y',
      'y/Mu.yaml': 'name: y\nbase: z',
    },
    ['MU602', 'm', 'y', 'z'],
  ],
  [
    'a ring of nested stacks',
    {
      'b/Mu.yaml':
        'name: b\nstacks: { private: { s: { base: t }, t: { base: s } } }\nservices: { private: { x: { type: s } } }',
    },
    ['MU602', 's', 't'],
  ],
])('a cycle of bases: %s', (_, texts, expected) => {
  const outcome = compileTexts({ 'Mu.yaml': 'name: a\nservices: { private: { x: { type: b } } }', ...texts })
  expect(errorsOf(outcome)).toEqual([expected])
})

test('templates in a nested stack belong to its file: they see the arguments of that, not of the instance', () => {
  const { services } = documentOf({
    'Mu.yaml': 'name: a\nservices: { private: { f: { type: f, k: outer } } }',
    'f/Mu.yaml': `name: f
properties: { k: { type: string } }
stacks:
  private:
    s:
      properties: { k: { type: string } }
      services: { private: { c: { type: mu/container, env: { K: "{{.args.k}}" } } } }
    t: { type: mu/container, env: { K: "{{.args.k}}" } }
services: { private: { x: { type: s, k: inner }, y: { type: t } } }`,
  })
  for (const fqn of ['a/f/x/c', 'a/f/y']) {
    expect(services.get(fqn)?.properties.get('env')).toEqual(new Map([['K', 'outer']]))
  }
})

test.each<[string, Texts, readonly unknown[]]>([
  [
    'a subclass sees it',
    {
      'Mu.yaml':
        'name: a\nbase: b\nproperties: { p: { type: s, optional: true } }\nservices: { private: { x: { type: s } } }',
      'b/Mu.yaml': `name: b\nabstract: true\nstacks: { private: { s: { ${ONE.trim()} } } }`,
    },
    [],
  ],
  [
    'a stack beside it does not',
    {
      'Mu.yaml': 'name: a\nservices: { private: { b: , x: { type: s } } }',
      'b/Mu.yaml': `name: b\nstacks: { private: { s: { ${ONE.trim()} } } }\nservices: { private: { x: { type: s } } }`,
    },
    [['MU503', 'https://hub.mu.com/s@latest']],
  ],
  [
    'a stack of a service does not',
    {
      'Mu.yaml': `name: a\nstacks: { private: { s: { ${ONE.trim()} } } }\nservices: { private: { b: , x: { type: s } } }`,
      'b/Mu.yaml': 'name: b\nservices: { private: { x: { type: s } } }',
    },
    [['MU503', 'https://hub.mu.com/s@latest']],
  ],
  [
    'a base does not see those of its subclass',
    {
      'Mu.yaml': `name: a\nbase: b\nstacks: { private: { s: { ${ONE.trim()} } } }`,
      'b/Mu.yaml': 'name: b\nservices: { private: { x: { type: s } } }',
    },
    [['MU503', 'https://hub.mu.com/s@latest']],
  ],
])('a nested stack is visible in its file and its subclasses only: %s', (_, texts, expected) => {
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})

test('an instance of a nested stack with a type is one of that reference, with presets below its own arguments', () => {
  const { services } = documentOf({
    'Mu.yaml': `name: a
stacks:
  private:
    s: { type: u, p: { a: 1, b: { c: [1, 2], d: 2 } }, q: 3 }
    t: { type: s, p: { b: { d: 4 } }, q: 5 }
services: { private: { x: { type: s }, y: { type: t, p: { b: { c: [6] } } } } }`,
    'u/Mu.yaml': user('u', '  p: { type: any }\n  q: { type: any }'),
  })
  expect([...services.keys()]).toEqual(['a/x', 'a/x/c', 'a/y', 'a/y/c'])
  const plain = (fqn: string) => {
    const { type, ref, properties } = services.get(fqn) ?? {}
    return [
      type,
      ref,
      JSON.parse(
        JSON.stringify([...(properties ?? [])], (_, value: unknown) =>
          value instanceof Map ? Object.fromEntries(value) : value,
        ),
      ),
    ]
  }
  const ref = 'https://hub.mu.com/u@latest'
  expect(plain('a/x')).toEqual([
    'u',
    ref,
    [
      ['p', { a: 1, b: { c: [1, 2], d: 2 } }],
      ['q', 3],
    ],
  ])
  expect(plain('a/y')).toEqual([
    'u',
    ref,
    [
      ['p', { a: 1, b: { c: [6], d: 4 } }],
      ['q', 5],
    ],
  ])
})
