import { LIBRARY_DIRECTORY } from '@davit/stack-library'
import { expect, test } from 'vitest'
import { compiledDocument, compileStack, NO_WORKSPACE } from '../src/stack.ts'
import { compileTexts, errorsOf, filesIn, ONE, server, type Texts, user, warningsOf } from './testing.ts'

function compileFile(name: string, text: string) {
  return compileStack(`/w/${name}`, {
    files: filesIn({ [`/w/${name}`]: text }),
    roots: { workspace: '/w', library: LIBRARY_DIRECTORY },
    workspace: NO_WORKSPACE,
    cluster: undefined,
    target: { cloud: undefined, scheduler: undefined },
    arguments: new Map(),
    skipsCode: true,
  })
}

function documentOf(texts: Texts) {
  const outcome = compileTexts(texts)
  expect(errorsOf(outcome)).toEqual([])
  if (outcome.kind === 'refused') throw new Error('refused')
  return compiledDocument(outcome.stack)
}

test.each([
  ['shop.json', [['MU151']]],
  ['shop.txt', []],
  ['shop.yml', []],
  ['shop', []],
  ['json', []],
])('the file %s is JSON if it is called so, else YAML', (name, expected) => {
  expect(errorsOf(compileFile(name, 'name: a\nabstract: true'))).toEqual(expected)
  expect(errorsOf(compileFile(name, '{ "name": "a", "abstract": true }'))).toEqual([])
})

const WORDS = ['n', 'y', 'on', 'off', 'yes', 'no', 'On', 'NO']

test('only true and false are truth values, as keys and as values', () => {
  const properties = WORDS.map((word) => `${word}: { type: string }`).join(', ')
  const given = WORDS.map((word) => `${word}: ${word}`).join(', ')
  const { services } = documentOf({
    'Mu.yaml': `name: a\nservices: { private: { u: { type: u, ${given} } } }`,
    'u/Mu.yaml': `name: u\nproperties: { ${properties} }\n${ONE}`,
  })
  expect(Object.fromEntries(services.get('a/u')?.properties ?? [])).toEqual(
    Object.fromEntries(WORDS.map((word) => [word, word])),
  )
  expect(errorsOf(compileTexts({ 'Mu.yaml': 'name: a\nabstract: yes' }))).toEqual([['MU151']])
})

test('a key is the text as which it is written', () => {
  const keys = ['+1', '0x1F', '1.10', '1_0', '1e3', 'true', '~']
  const text = `name: a\nproperties: { ${keys.map((key) => `${key}: { type: any }`).join(', ')} }\n${ONE}`
  expect(errorsOf(compileTexts({ 'Mu.yaml': text })).map(([, name]) => name)).toEqual(keys)
})

test('texts are any scalars as they are written', () => {
  const { metadata } = documentOf({
    'Mu.yaml':
      'name: true\nversion: 1234567\ndescription: 1.10\nauthor: 0x10\nwebsite: 1e3\nlicense: no\nabstract: true',
  })
  expect([...metadata]).toEqual([
    ['name', 'true'],
    ['version', '1234567'],
    ['description', '1.10'],
    ['author', '0x10'],
    ['website', '1e3'],
    ['license', 'no'],
  ])
  const json = '{ "name": true, "version": 1234567, "description": 1.10, "author": 1E3, "abstract": true }'
  expect([...documentOf({ 'Mu.json': json }).metadata]).toEqual([
    ['name', 'true'],
    ['version', '1234567'],
    ['description', '1.10'],
    ['author', '1E3'],
  ])
  const { findings } = compileTexts({
    'Mu.yaml': `name: 1.10\nversion: 1.10\nbase: 2.0\n${ONE}`,
  })
  expect(findings.map(({ code, subjects }) => [code, ...subjects])).toEqual([
    ['MU156', '2.0'],
    ['MU106', '1.10'],
    ['MU501', '1.10'],
  ])
  const types = { 'Mu.yaml': `name: a\nproperties: { p: { type: 1.10 } }\nschema: { private: { s: { base: 2.0 } } }` }
  expect(errorsOf(compileTexts(types))).toEqual([
    ['MU156', '2.0'],
    ['MU156', '1.10'],
  ])
})

test.each(['name', 'version', 'description', 'author', 'website', 'license', 'base'])('%s is text', (key) => {
  for (const value of ['[a]', '{ a: b }']) {
    expect(errorsOf(compileTexts({ 'Mu.yaml': `${key}: ${value}` }))).toEqual([['MU151']])
  }
})

test.each(['abstract', 'intrinsic'])('%s is true or false', (key) => {
  for (const value of ['"true"', '1', '[]', '{}']) {
    expect(errorsOf(compileTexts({ 'Mu.yaml': `name: a\n${key}: ${value}` }))).toEqual([['MU151']])
  }
})

test.each(['properties', 'schema', 'types', 'stacks', 'services'])('%s is a table, or empty', (key) => {
  for (const value of ['[]', 'x', '1', 'false']) {
    expect(errorsOf(compileTexts({ 'Mu.yaml': `name: a\n${key}: ${value}` }))).toEqual([['MU151']])
  }
  for (const value of ['', '{}', '~']) documentOf({ 'Mu.yaml': `name: a\nabstract: true\n${key}: ${value}` })
})

test.each(['schema', 'types', 'stacks', 'services'])('the sections of %s are tables, or empty', (key) => {
  for (const section of ['private', 'public']) {
    const text = (value: string) => ({ 'Mu.yaml': `name: a\nabstract: true\n${key}: { ${section}: ${value} }` })
    for (const value of ['[]', 'x', '1']) expect(errorsOf(compileTexts(text(value)))).toEqual([['MU151']])
    for (const value of ['', '{}', '~']) documentOf(text(value))
  }
})

test('whatever else is directly below sections is ignored, with a warning', () => {
  const outcome = compileTexts({
    'Mu.yaml':
      'name: a\nabstract: true\nschema: { s: { base: no } }\ntypes: { t: [] }\nstacks: { u: 1 }\nservices: { v: { type: no } }',
  })
  expect([outcome.kind, errorsOf(outcome), warningsOf(outcome)]).toEqual([
    'compiled',
    [],
    [
      ['MU104', 's'],
      ['MU104', 'v'],
      ['MU104', 'u'],
      ['MU104', 't'],
    ],
  ])
})

test.each<[string, Texts, readonly unknown[]]>([
  ['neither abstract nor intrinsic', { 'Mu.yaml': 'name: a' }, [['MU504']]],
  ['abstract', { 'Mu.yaml': 'name: a\nabstract: true' }, []],
  ['intrinsic', { 'Mu.yaml': 'name: a\nintrinsic: true' }, []],
  ['of schemas only', { 'Mu.yaml': 'name: a\nschema: { public: { s: { base: any } } }' }, [['MU504']]],
  ['based on one with services', { 'Mu.yaml': 'name: a\nbase: b', 'b/Mu.yaml': server('b') }, []],
  [
    'based on an intrinsic one, which is not inherited',
    { 'Mu.yaml': 'name: a\nbase: b', 'b/Mu.yaml': 'name: b\nintrinsic: true' },
    [['MU504']],
  ],
  [
    'that is a base, and neither abstract',
    { 'Mu.yaml': `name: a\nbase: b\n${ONE}`, 'b/Mu.yaml': 'name: b' },
    [['MU504']],
  ],
])('a stack without services %s', (_, texts, expected) => {
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})

test('the root may be abstract, with services like any other', () => {
  const { services } = documentOf({ 'Mu.yaml': `name: a\nabstract: true\n${ONE}` })
  expect([...services.keys()]).toEqual(['a/c'])
})

test.each(['x: 1', 'x: [b]', 'x: b', 'x: { type: 1 }', 'x: { type: }', 'x: { type: [b] }', 'x: { type: { b: c } }'])(
  'the service %s is malformed',
  (service) => {
    const texts = { 'Mu.yaml': `name: a\nservices: { private: { ${service} } }`, 'b/Mu.yaml': server('b') }
    expect(errorsOf(compileTexts(texts))).toEqual([['MU151']])
  },
)

test('with a type, a key is the name as it is; without, its simple name is the name; all but the type are arguments', () => {
  const { services } = documentOf({
    'Mu.yaml':
      'name: a/r\nservices: { private: { n/u: { p: 1 }, n/v: { type: n/u, p: 2 }, "git://x.y/n/w@1.0.0": , z: { type: n/w } } }',
    'n/u/Mu.yaml': user('n/u', '  p: { type: any }\n  type: { type: any, optional: true }'),
    'n/w/Mu.yaml': server('n/w'),
  })
  expect([...services.keys()].filter((fqn) => !fqn.endsWith('/c') && !fqn.endsWith('/main'))).toEqual([
    'a/r/w',
    'a/r/u',
    'a/r/n/v',
    'a/r/z',
  ])
  expect(services.get('a/r/u')?.properties).toEqual(new Map([['p', 1]]))
  expect(services.get('a/r/n/v/c')).toMatchObject({ type: 'mu/container' })
})

test.each([
  ['two keys with one simple name', 'private: { n/u: , m/u: }'],
  ['a key and a name', 'private: { n/u: , u: { type: mu/container } }'],
  ['a private and a public one', 'private: { u: { type: mu/container } }, public: { u: { type: mu/container } }'],
])('a name twice: %s', (_, services) => {
  expect(errorsOf(compileTexts({ 'Mu.yaml': `name: a\nservices: { ${services} }` }))).toEqual([['MU502', 'u']])
})

test('names of services, schemas, nested stacks and properties do not clash', () => {
  const { services } = documentOf({
    'Mu.yaml':
      'name: a\nproperties: { x: { type: x, default: 1 } }\nschema: { public: { x: { base: number } } }\nstacks: { private: { x: { type: mu/container } } }\nservices: { private: { x: { type: x } } }',
  })
  expect(services.get('a/x')?.type).toBe('mu/container')
})

test('the word of a type is a primitive, else a schema, else a nested stack, else a reference', () => {
  const wanted = (word: string, declared: string) =>
    errorsOf(
      compileTexts({
        'Mu.yaml': 'name: a\nservices: { private: { u: { type: u, p: {} } } }',
        'u/Mu.yaml': `name: u\nproperties: { p: { type: ${word} } }\n${declared}\n${ONE}`,
        'w/Mu.yaml': 'name: file\nabstract: true',
        'string/Mu.yaml': 'name: file\nabstract: true',
      }),
    )
  const schema = (name: string) => `schema: { private: { ${name}: { base: bool } } }\n`
  const nested = (name: string) => `stacks: { private: { ${name}: { name: nested, abstract: true } } }\n`
  expect(wanted('string', schema('string') + nested('string'))).toEqual([['MU508', 'string', 'map']])
  expect(wanted('w', schema('w') + nested('w'))).toEqual([['MU508', 'w', 'map']])
  expect(wanted('w', nested('w'))).toEqual([['MU508', 'nested', 'map']])
  expect(wanted('w', '')).toEqual([['MU508', 'file', 'map']])
})

test('where a stack is wanted, a word of a primitive type is a reference', () => {
  const { services } = documentOf({
    'Mu.yaml': 'name: a\nbase: any\nservices: { private: { x: { type: string } } }',
    'any/Mu.yaml': 'name: any\nabstract: true',
    'string/Mu.yaml': server('string'),
  })
  expect(services.get('a/x')?.type).toBe('string')
})

test.each(['base: s', 'services: { private: { x: { type: s } } }', 'services: { private: { s: } }'])(
  'where a stack is wanted, a schema is none: %s',
  (declared) => {
    const text = `name: a\nabstract: true\nschema: { private: { s: { base: any } } }\n${declared}`
    expect(errorsOf(compileTexts({ 'Mu.yaml': text }))).toEqual([['MU515', 's']])
    const nested = `${text}\nstacks: { private: { s: { abstract: true } } }`
    expect(errorsOf(compileTexts({ 'Mu.yaml': nested })).map(([code]) => code)).not.toContain('MU515')
    const file = { 'Mu.yaml': text, 's/Mu.yaml': server('s') }
    expect(errorsOf(compileTexts(file))).toEqual([])
  },
)
