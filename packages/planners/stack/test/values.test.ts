import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf, server, type Texts, user } from './testing.ts'

/** Compiles one service `u` of a stack with the given properties and arguments, beside a few others. */
function withArguments(properties: string, args: string, others = ''): Texts {
  return {
    'Mu.yaml': `name: a\nservices:\n  private:\n    u: { type: u${args === '' ? '' : `, ${args}`} }\n${others}`,
    'u/Mu.yaml': user('u', properties),
    'two/Mu.yaml': server('two', '[80, 81]'),
    'one/Mu.yaml': server('one', '[80]'),
    'sub/Mu.yaml': 'name: sub\nbase: one',
    'both/Mu.yaml': 'name: both\nservices: { public: { one: , sub: } }',
    'wide/Mu.yaml': 'name: wide\nservices: { public: { one1: { type: one }, two: } }',
    'odd/Mu.yaml': 'name: odd\nintrinsic: true\nproperties: { port: { type: number } }\nservices: { public: { one: } }',
    'holds/Mu.yaml': 'name: holds\nservices: { public: { sub: }, private: { two: } }',
    'called/Mu.yaml': 'name: so\nabstract: true',
    'made/Mu.yaml': 'name: {{"made"}}\nabstract: true',
  }
}

test.each<[string, string, string, readonly unknown[]]>([
  [
    'missing, optional, null, false and zero',
    '  a: { type: string }\n  b: { type: string, optional: true }\n  c: { type: bool, default: false }\n  d: { type: number, default: 0 }\n  e: { type: string, default: ~ }',
    'a: ~',
    [
      ['MU506', 'a'],
      ['MU506', 'e'],
    ],
  ],
  [
    'unknown names come last',
    '  z: { type: string }',
    'a: 1, __proto__: 2',
    [
      ['MU506', 'z'],
      ['MU507', '__proto__'],
      ['MU507', 'a'],
    ],
  ],
  [
    'kinds',
    '  a: { type: boolean }\n  b: { type: number }\n  c: { type: string }\n  d: { type: "any[]" }\n  e: { type: "map[string]any" }',
    'a: "true", b: "1", c: 1, d: {}, e: []',
    [
      ['MU508', 'bool', 'string'],
      ['MU508', 'number', 'string'],
      ['MU508', 'string', 'number'],
      ['MU508', 'any[]', 'map'],
      ['MU508', 'map[string]any', 'list'],
    ],
  ],
  [
    'null in a list',
    '  a: { type: "string[]" }\n  b: { type: "any[]" }',
    'a: [~], b: [~]',
    [
      ['MU508', 'string', 'null'],
      ['MU508', 'string[]', 'list'],
    ],
  ],
  [
    'lists in lists',
    '  a: { type: "number[][]" }',
    'a: [[1, x]]',
    [
      ['MU508', 'number', 'string'],
      ['MU508', 'number[]', 'list'],
      ['MU508', 'number[][]', 'list'],
    ],
  ],
  [
    'keys of maps',
    '  a: { type: "map[number]any" }\n  b: { type: "map[bool] string" }',
    'a: { 1: x, y: 2 }, b: { true: x, no: y }',
    [
      ['MU508', 'number', 'string'],
      ['MU508', 'map[number]any', 'map'],
      ['MU508', 'bool', 'string'],
      ['MU508', 'map[bool]string', 'map'],
    ],
  ],
  [
    'keys are what their text is',
    '  a: { type: "map[number]any" }\n  b: { type: "map[bool]any" }\n  c: { type: "map[string]any" }',
    'a: { 1: x, 1.5: y, -2: z, 1.0: w }, b: { true: x, false: y }, c: { 1: x, true: y }',
    [],
  ],
  [
    'maps in the order of their keys',
    '  a: { type: "map[string]string" }',
    'a: { b: 1, a: true }',
    [
      ['MU508', 'string', 'bool'],
      ['MU508', 'string', 'number'],
      ['MU508', 'map[string]string', 'map'],
    ],
  ],
  ['blanks in types', '  a: { type: " number [] " }', 'a: x', [['MU508', 'number[]', 'string']]],
  [
    'a stack is called by its name',
    '  a: { type: called }\n  b: { type: made }',
    'a: 1, b: 2',
    [
      ['MU508', 'so', 'number'],
      ['MU508', 'made', 'number'],
    ],
  ],
  [
    'an object that is none',
    '  a: { type: { properties: { x: { type: number } } } }',
    'a: 1',
    [['MU508', 'object', 'number']],
  ],
  [
    'an object in a list is not repeated',
    '  a: { type: "p[]" }\nschema: { private: { p: { properties: { x: { type: number }, y: { type: string, default: z } } } } }',
    'a: [{ x: q }, { x: 1 }]',
    [['MU508', 'number', 'string']],
  ],
  [
    'after another error in a list nothing is repeated',
    '  a: { type: "s[]" }\nschema: { private: { s: { base: string, minLength: 2 } } }',
    'a: [x]',
    [['MU517', 'minLength', 2, 1]],
  ],
  [
    'an inline schema is called by its base',
    '  a: { type: { base: number, minimum: 1 } }',
    'a: x',
    [['MU508', 'number', 'string']],
  ],
  [
    'a schema is called by its name',
    '  a: { type: hour }\nschema: { private: { hour: { base: number } } }',
    'a: x',
    [['MU508', 'hour', 'string']],
  ],
  [
    'all constraints, those of the base first',
    '  a: { type: s }\nschema: { private: { r: { base: string, pattern: "[a-z]*" }, s: { base: r, maxLength: 1, minLength: 4, enum: [x] } } }',
    'a: A1',
    [
      ['MU517', 'pattern', '[a-z]*', 'A1'],
      ['MU517', 'maxLength', 1, 2],
      ['MU517', 'minLength', 4, 2],
      ['MU517', 'enum', ['x'], 'A1'],
    ],
  ],
  [
    'a schema that is based on objects, or on services',
    '  a: { type: q }\n  b: { type: q }\n  c: { type: s }\nschema: { private: { p: { properties: { x: { type: number } } }, q: { base: p }, s: { base: service, enum: [one] } } }',
    'a: { x: 1 }, b: 1, c: none',
    [
      ['MU508', 'q', 'number'],
      ['MU509', 'none'],
    ],
  ],
  ['lengths count code points', '  a: { type: { base: string, maxLength: 1 } }', 'a: "😀"', []],
  [
    'the whole text matches, and a lone bracket is a character',
    '  a: { type: { base: string, pattern: "a]" } }\n  b: { type: { base: string, pattern: "a|ab" } }',
    'a: "a]", b: ab',
    [],
  ],
  [
    'a part of the text is not enough',
    '  a: { type: { base: string, pattern: "b" } }',
    'a: ab',
    [['MU517', 'pattern', 'b', 'ab']],
  ],
  [
    'bounds are inclusive',
    '  a: { type: { base: number, minimum: 1, maximum: 1 } }\n  b: { type: { base: string, minLength: 2, maxLength: 2 } }',
    'a: 1, b: xy',
    [],
  ],
  ['equal as JSON', '  a: { type: { base: any, enum: [0, { x: 1, y: [2] }] } }', 'a: { y: [2], x: 1 }', []],
  [
    'not equal as JSON',
    '  a: { type: { base: any, enum: [[~, { x: 1 }]] } }',
    'a: [~, { x: 2 }]',
    [['MU517', 'enum', [[null, { x: 1 }]], [null, { x: 2 }]]],
  ],
  [
    'an expression whose cost would be exponential',
    '  a: { type: { base: string, pattern: "(a|aa)+$" } }',
    `a: ${'a'.repeat(60)}b`,
    [['MU517', 'pattern', '(a|aa)+$', `${'a'.repeat(60)}b`]],
  ],
  [
    'a schema that contains itself',
    '  a: { type: tree }\nschema: { private: { tree: { properties: { down: { type: "tree[]", optional: true } } } } }',
    'a: { down: [{ down: [1] }] }',
    [
      ['MU508', 'tree', 'number'],
      ['MU508', 'tree[]', 'list'],
    ],
  ],
])('values: %s', (_, properties, args, expected) => {
  expect(errorsOf(compileTexts(withArguments(properties, args)))).toEqual(expected)
})

test.each<[string, string, readonly unknown[]]>([
  ['not text', 'a: 1', [['MU508', 'service', 'number']]],
  ['no name', 'a: ":80"', [['MU514', '']]],
  ['no selector', 'a: "one:"', [['MU514', '']]],
  ['a selector that begins with digits', 'a: "one:8a"', [['MU514', '8a']]],
  ['a selector that ends with digits', 'a: "one:a-1"', [['MU514', 'a-1']]],
  ['no endpoint', 'a: "bare:."', [['MU510', 'bare', 'mu/container']]],
  ['a port below a leaf', 'a: "odd:80"', [['MU512', '80', 'odd', 'odd']]],
  ['cut at the last colon', 'a: "one:main:80"', [['MU514', 'one:main']]],
  ['unknown', 'a: oen', [['MU509', 'oen']]],
  ['a property of the callee is not seen', 'a: b', [['MU509', 'b']]],
  ['several endpoints further down', 'a: two', [['MU511', 'main', 'mu/container']]],
  ['a selector that is private', 'a: "holds:two"', [['MU513', 'two', 'holds', 'holds']]],
  ['a port that there is not', 'a: "one:81"', [['MU512', '81', 'one', 'one']]],
  ['a port of a private service', 'a: "holds:81"', [['MU512', '81', 'holds', 'holds']]],
  ['the only endpoint of several', 'a: "both:."', [['MU511', 'both', 'both']]],
  ['the wrong stack', 'b: two', [['MU508', 'one', 'two']]],
  ['a stack of which several fit', 'b: both', [['MU508', 'one', 'both']]],
  ['a selector for the wrong stack', 'b: "holds:80"', [['MU508', 'one', 'mu/container']]],
  [
    'a list of services that do not fit',
    'c: [one, two]',
    [
      ['MU508', 'one', 'two'],
      ['MU508', 'one[]', 'list'],
    ],
  ],
])('capabilities: %s', (_, args, expected) => {
  const properties =
    '  a: { type: service, optional: true }\n  b: { type: one, optional: true }\n  c: { type: "one[]", optional: true }'
  const others =
    '    one:\n    two:\n    sub:\n    both:\n    holds:\n    bare: { type: mu/container }\n    odd: { port: 5 }\n'
  expect(errorsOf(compileTexts(withArguments(properties, args, others)))).toEqual(expected)
})

test.each<[string, string, object]>([
  ['a service with one endpoint', 'a: one', { service: 'a/one', endpoint: 'a/one/main', port: 80 }],
  ['a subclass, where its base is wanted', 'b: sub', { service: 'a/sub' }],
  ['the only public service that fits', 'b: holds', { service: 'a/holds', endpoint: 'a/holds/sub' }],
  ['a port', 'a: "two:81"', { service: 'a/two', endpoint: 'a/two/main', port: 81 }],
  ['a public service', 'a: "both:sub"', { service: 'a/both', endpoint: 'a/both/sub/main', port: 80 }],
  ['a public service of a stack', 'b: "both:sub"', { service: 'a/both', endpoint: 'a/both/sub' }],
  ['the only endpoint', 'a: "one:."', { service: 'a/one', endpoint: 'a/one/main', port: 80 }],
  ['the only port of a leaf', 'a: "leaf:."', { service: 'a/leaf', port: 9 }],
  [
    'a port of a service that is not the first',
    'a: "wide:81"',
    { service: 'a/wide', endpoint: 'a/wide/two/main', port: 81 },
  ],
  ['a public service with several ports', 'a: "wide:two"', { service: 'a/wide', endpoint: 'a/wide/two' }],
  [
    'a public service whose name ends with digits',
    'a: "wide:one1"',
    { service: 'a/wide', endpoint: 'a/wide/one1/main', port: 80 },
  ],
  ['a leaf that has services', 'a: odd', { service: 'a/odd', port: 5 }],
  ['the only endpoint of a leaf that has services', 'a: "odd:."', { service: 'a/odd', port: 5 }],
  ['a leaf', 'a: leaf', { service: 'a/leaf', port: 9 }],
  ['a leaf without port', 'a: bare', { service: 'a/bare' }],
])('a capability becomes %s', (_, args, expected) => {
  const properties = '  a: { type: service, optional: true }\n  b: { type: one, optional: true }'
  const others =
    '    one:\n    two:\n    sub:\n    both:\n    holds:\n    wide:\n    odd: { port: 5 }\n    leaf: { type: mu/container, port: 9 }\n    bare: { type: mu/container }\n'
  const outcome = compileTexts(withArguments(properties, args, others))
  expect(errorsOf(outcome)).toEqual([])
  const { services } = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { services: new Map() }
  const [value] = [...(services.get('a/u')?.properties.values() ?? [])]
  expect(value).toEqual(expected)
})

test.each<[string, string, string, readonly unknown[]]>([
  ['of another type', '', 'a: word', [['MU509', 'word']]],
  ['that is no text', 'peer: 1', 'a: peer', [['MU508', 'service', 'number']]],
  ['that is a list', 'peer: [one]', 'a: peer', [['MU508', 'service', 'list']]],
  ['that names nothing', 'peer: none', 'a: peer', [['MU509', 'none']]],
  ['that does not fit', 'kin: two', 'b: kin', [['MU508', 'one', 'two']]],
  ['whose type is a stack', 'kin: one', 'b: kin', []],
])('a property of the writer %s', (_, given, args, expected) => {
  const texts = withArguments('  a: { type: service, optional: true }\n  b: { type: one, optional: true }', '')
  const outcome = compileTexts({
    ...texts,
    'Mu.yaml': `name: a\nservices: { private: { one: , two: , w: { type: w, ${given} } } }`,
    'w/Mu.yaml': `name: w
properties: { peer: { type: service, optional: true }, kin: { type: one, optional: true }, word: { type: string, default: one } }
services: { private: { u: { type: u, ${args} } } }`,
  })
  expect(errorsOf(outcome)).toEqual(expected)
})
