import { expect, test } from 'vitest'
import { compileTexts, errorsOf, ONE, server, type Texts, user } from './testing.ts'

test.each<[string, readonly unknown[]]>([
  ['any', []],
  ['boolean[]', []],
  [' map[ string ] number [] ', []],
  ['map[string]map[bool]any[][]', []],
  ['map[string', [['MU154', 'map[string']]],
  ['map[]any', [['MU154', 'map[]any']]],
  ['map[string]', [['MU154', 'map[string]']]],
  ['map[string] ', [['MU154', 'map[string]']]],
  [
    'map[a b]c d',
    [
      ['MU156', 'a b'],
      ['MU156', 'c d'],
      ['MU154', 'map[a b]c d'],
    ],
  ],
  [
    'map[string[]]any',
    [
      ['MU156', 'string['],
      ['MU156', ']any'],
      ['MU154', 'map[string[]]any'],
    ],
  ],
  [
    'map[string]map[]x[]',
    [
      ['MU154', 'map[]x[]'],
      ['MU154', 'map[string]map[]x[]'],
    ],
  ],
  [
    'map[string][]',
    [
      ['MU155', '[]'],
      ['MU154', 'map[string][]'],
    ],
  ],
  ['[]', [['MU155', '[]']]],
  ['x[]y', [['MU155', 'x[]y']]],
  ['[] string', [['MU155', '[] string']]],
  [
    '[]x[]',
    [
      ['MU155', '[]x'],
      ['MU155', '[]x[]'],
    ],
  ],
  [
    'a b[]',
    [
      ['MU156', 'a b'],
      ['MU155', 'a b[]'],
    ],
  ],
  [
    'my map[string]any[]',
    [
      ['MU154', 'my map[string]any'],
      ['MU155', 'my map[string]any[]'],
    ],
  ],
  ['[string]', [['MU156', '[string]']]],
  ['String', [['MU503', 'https://hub.mu.com/String@latest']]],
  ['int', [['MU503', 'https://hub.mu.com/int@latest']]],
  ['map[service]any', [['MU154', 'map[service]any']]],
  ['map[any]any', [['MU154', 'map[any]any']]],
  ['map[word]any', [['MU154', 'map[word]any']]],
  ['map[string]map[any]any', [['MU154', 'map[any]any']]],
])('the type %j is read from the left', (type, expected) => {
  const text = `name: a\nproperties: { p: { type: "${type}", optional: true } }\nschema: { private: { word: { base: string } } }\n${ONE}`
  expect(errorsOf(compileTexts({ 'Mu.yaml': text }))).toEqual(expected)
})

test('kinds of keys are looked at once all words are found', () => {
  const outcome = (type: string) =>
    errorsOf(
      compileTexts({ 'Mu.yaml': `name: a\nproperties: { p: { type: "map[any]any" }, q: { type: ${type} } }\n${ONE}` }),
    )
  expect([outcome('nope'), outcome('any')]).toEqual([
    [['MU503', 'https://hub.mu.com/nope@latest']],
    [['MU154', 'map[any]any']],
  ])
})

test.each<[string, string]>([
  ['boolean', 'bool'],
  ['boolean[]', 'bool[]'],
  [' map[ boolean ] string [] ', 'map[bool]string[]'],
  ['word', 'word'],
  ['other/Word', 'other/Word'],
  ['other/Word@1.0.0', 'other/Word'],
  ['https://x.y/other/Word@1.0.0', 'https://x.y/other/Word'],
  ['map[string]other/Word@^1.0.0[]', 'map[string]other/Word[]'],
  ['other@1.0.0', 'called'],
  ['git://x.y/other@1.0.0[]', 'called[]'],
  ['kind', 'kind'],
  ['named', 'own'],
  ['preset', 'mu/volume'],
])('the type %j is called %j', (type, name) => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nservices: { private: { u: { type: u, p: 1 } } }',
    'u/Mu.yaml': `${user('u', `  p: { type: "${type}" }`)}
schema: { private: { word: { base: string } } }
stacks: { private: { kind: { abstract: true }, named: { abstract: true, name: own }, preset: { type: mu/volume } } }`,
    'other/Mu.yaml': 'name: called\nversion: 1.0.0\nabstract: true\nschema: { public: { Word: { base: string } } }',
  })
  expect(errorsOf(outcome)).toEqual([['MU508', name, 'number']])
})

test.each<[string, string, string]>([
  ['a base', '{ base: boolean }', 'bool'],
  ['a schema', '{ base: word }', 'word'],
  ['a schema of another stack', '{ base: w/Out }', 'w/Out'],
  ['properties', '{ properties: {} }', 'object'],
])('an inline schema with %s is called by it', (_, type, name) => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nservices: { private: { u: { type: u, p: [] } } }',
    'u/Mu.yaml': `${user('u', `  p: { type: ${type} }`)}\nschema: { private: { word: { base: string } } }`,
    'w/Mu.yaml': 'name: w\nabstract: true\nschema: { public: { Out: { base: string } } }',
  })
  expect(errorsOf(outcome)).toEqual([['MU508', name, 'list']])
})

test.each<[string, string, readonly unknown[]]>([
  ['a list', '{ base: "string[]" }', [['MU516', 'string[]']]],
  ['a map', '{ base: "map[string]any" }', [['MU516', 'map[string]any']]],
  ['a stack', '{ base: w }', [['MU516', 'w']]],
  ['a preset', '{ base: preset }', [['MU516', 'preset']]],
  ['a stack of another name', '{ base: "https://hub.mu.com/v@latest" }', [['MU516', 'https://hub.mu.com/v@latest']]],
  ['a service', '{ base: service }', []],
  ['anything', '{ base: any, enum: [1] }', []],
  ['text of which a pattern is', '{ base: any, pattern: x }', [['MU517', 'pattern', 'string', 'any']]],
  ['anything that has a bound', '{ base: any, maximum: 1 }', [['MU517', 'maximum', 'number', 'any']]],
  ['a service that has a length', '{ base: service, maxLength: 1 }', [['MU517', 'maxLength', 'string', 'service']]],
  ['a truth value with an enum', '{ base: bool, enum: [true] }', []],
  ['an object with an enum', '{ properties: {}, enum: [{}] }', []],
  ['an object with a length', '{ properties: {}, minLength: 1 }', [['MU517', 'minLength', 'string', 'object']]],
  [
    'a truth value with a length and a bound',
    '{ base: bool, maximum: 1, minLength: 1 }',
    [
      ['MU517', 'minLength', 'string', 'bool'],
      ['MU517', 'maximum', 'number', 'bool'],
    ],
  ],
  [
    'a number with all that does not fit',
    '{ base: number, minLength: 1, maxLength: 2, pattern: x, minimum: 1, maximum: 2, enum: [x] }',
    [
      ['MU517', 'pattern', 'string', 'number'],
      ['MU517', 'maxLength', 'string', 'number'],
      ['MU517', 'minLength', 'string', 'number'],
    ],
  ],
  [
    'text with bounds',
    '{ base: string, minimum: 1, maximum: 2 }',
    [
      ['MU517', 'maximum', 'number', 'string'],
      ['MU517', 'minimum', 'number', 'string'],
    ],
  ],
  ['a schema of numbers', '{ base: count, pattern: x, minimum: 1 }', [['MU517', 'pattern', 'string', 'count']]],
  ['a schema of another stack', '{ base: w/Out, pattern: x, minimum: 1 }', [['MU517', 'minimum', 'number', 'w/Out']]],
  [
    'text with a pattern of another language',
    '{ base: string, pattern: "(?=a)" }',
    [['MU517', 'pattern', 'string', 'string']],
  ],
])('what the base of a schema can be: %s', (_, schema, expected) => {
  const texts = (more: string) => ({
    'Mu.yaml': `name: a\n${more}\nstacks: { private: { preset: { type: mu/volume } } }\n${ONE}`,
    'v/Mu.yaml': 'name: called\nabstract: true',
    'w/Mu.yaml': 'name: w\nabstract: true\nschema: { public: { Out: { base: string } } }',
  })
  const COUNT = 'count: { base: number }'
  expect(errorsOf(compileTexts(texts(`schema: { private: { s: ${schema}, ${COUNT} } }`)))).toEqual(expected)
  const inline = `properties: { p: { type: ${schema}, optional: true } }\nschema: { private: { ${COUNT} } }`
  expect(errorsOf(compileTexts(texts(inline)))).toEqual(expected)
})

test('constraints are looked at once all words are found', () => {
  const text = `name: a\nproperties: { p: { type: { base: number, pattern: x } }, q: { type: nope } }\n${ONE}`
  expect(errorsOf(compileTexts({ 'Mu.yaml': text }))).toEqual([['MU503', 'https://hub.mu.com/nope@latest']])
})

const OWNERS: Texts = {
  'w/Mu.yaml':
    'name: w\nabstract: true\nschema: { public: { Out: { base: number }, Both: { base: string } }, private: { In: { base: string } } }',
  'w/Both/Mu.yaml': server('w/Both'),
  'x/w/Mu.yaml': 'name: x/w\nabstract: true\nbase: w\nschema: { public: { Out: { base: string, enum: [x] } } }',
}

test.each<[string, string, readonly unknown[]]>([
  ['a stack of the whole name comes first', 'w/Both', [['MU509', 'x']]],
  ['else it is a schema of the stack before the last part', 'w/Out', [['MU508', 'w/Out', 'string']]],
  ['the last part alone', 'x/w/Out', []],
  ['a schema that is inherited there', 'x/w/Both', []],
  ['a private one', 'w/In', [['MU516', 'w/In']]],
  ['a missing one', 'w/No', [['MU516', 'w/No']]],
  ['with a version', 'w/No@^1.0.0', [['MU516', 'w/No@^1.0.0']]],
  ['no stack at all', 'v/w/Out', [['MU503', 'https://hub.mu.com/v/w/Out@latest']]],
  ['no stack of that base', 'git://v.w/gone/Out@1.0.0', [['MU503', 'git://v.w/gone/Out@1.0.0']]],
])('a schema of another stack: %s', (_, type, expected) => {
  const texts = {
    ...OWNERS,
    'Mu.yaml': 'name: a\nservices: { private: { u: { type: u, p: x } } }',
    'u/Mu.yaml': user('u', `  p: { type: "${type}" }`),
  }
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})

test('the word of a type is a primitive, else a schema, else a nested stack, else a reference', () => {
  const typeOf = (more: string) =>
    errorsOf(
      compileTexts({
        'Mu.yaml': 'name: a\nservices: { private: { u: { type: u, p: [], q: [] } } }',
        'u/Mu.yaml': `${user('u', '  p: { type: word }\n  q: { type: string }')}\n${more}`,
        'word/Mu.yaml': 'name: file\nabstract: true',
        'string/Mu.yaml': 'name: other\nabstract: true',
      }),
    ).map(([, name]) => name)
  const schema = 'schema: { private: { word: { base: bool }, string: { base: number } } }\n'
  const nested =
    'stacks: { private: { word: { abstract: true, name: nested }, string: { abstract: true, name: no } } }\n'
  expect([typeOf(''), typeOf(nested), typeOf(schema + nested)]).toEqual([
    ['file', 'string'],
    ['nested', 'string'],
    ['word', 'string'],
  ])
})
