import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf, type Texts, user } from './testing.ts'

/** Compiles one service `u` of a stack with these properties and arguments. */
function compiled(properties: string, args: string, others: Texts = {}) {
  return compileTexts({
    'Mu.yaml': `name: a\nservices: { private: { u: { type: u${args && `, ${args}`} } } }\n`,
    'u/Mu.yaml': user('u', properties),
    ...others,
  })
}

/** Values that are bound, with Maps as objects. */
function boundIn(outcome: ReturnType<typeof compileTexts>): unknown {
  expect(errorsOf(outcome)).toEqual([])
  return outcome.kind === 'compiled' && plain(compiledDocument(outcome.stack).services.get('a/u')?.properties)
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...(value as ReadonlyMap<string, unknown>)].map(([key, one]) => [key, plain(one)]))
}

test.each<[string, string, string, object]>([
  [
    'defaults, where nothing or null is given; false and zero are some',
    '  a: { type: string, default: x }\n  b: { type: string, default: x }\n  c: { type: bool, default: false }\n  d: { type: number, default: 0 }\n  e: { type: string, default: "" }\n  f: { type: "any[]", default: [] }',
    'b: ~',
    { a: 'x', b: 'x', c: false, d: 0, e: '', f: [] },
  ],
  [
    'what is given instead of a default, even if it is false',
    '  a: { type: bool, default: true }\n  b: { type: number, default: 1 }\n  c: { type: string, default: x }',
    'a: false, b: 0, c: ""',
    { a: false, b: 0, c: '' },
  ],
  [
    'nothing for optional ones, also where their default is null',
    '  a: { type: string, optional: true }\n  b: { type: string, optional: true, default: ~ }\n  c: { type: string, optional: true }',
    'c: ~',
    {},
  ],
  ['defaults of optional ones', '  a: { type: string, optional: true, default: x }', '', { a: 'x' }],
  [
    'numbers of any kind',
    '  a: { type: "number[]" }',
    'a: [1, -2, 1.5, 1e3, 0x10, 0]',
    { a: [1, -2, 1.5, 1000, 16, 0] },
  ],
  [
    'anything, as it is',
    '  a: { type: "any[]" }\n  b: { type: any }',
    'a: [~, 1, x, true, [1.5], { y: ~ }], b: { z: [] }',
    { a: [null, 1, 'x', true, [1.5], { y: null }], b: { z: [] } },
  ],
  [
    'lists in a map, and a map of maps',
    '  a: { type: "map[string]number[]" }\n  b: { type: "map[string]map[number]bool" }\n  c: { type: "map[boolean]any" }',
    'a: { x: [1], y: [] }, b: { x: { 1: true } }, c: { true: 1 }',
    { a: { x: [1], y: [] }, b: { x: { 1: true } }, c: { true: 1 } },
  ],
  [
    'objects, with the defaults of their properties',
    '  a: { type: { properties: { x: { type: number, default: 3 }, y: { type: string, optional: true }, z: { type: any } } } }',
    'a: { z: { k: v } }',
    { a: { x: 3, z: { k: 'v' } } },
  ],
  [
    'defaults of objects, which have defaults as well',
    '  a: { type: { properties: { x: { type: number, default: 3 } } }, default: {} }',
    '',
    { a: { x: 3 } },
  ],
  [
    'values of schemas with constraints that they meet',
    '  a: { type: { base: string, pattern: "[a-z]+", minLength: 2, maxLength: 3, enum: [ab, cd] } }\n  b: { type: { base: bool, enum: [true] } }\n  c: { type: { properties: { x: { type: any } }, enum: [{ x: 1 }] } }\n  d: { type: { base: any, enum: [~, 2] } }',
    'a: cd, b: true, c: { x: 1 }, d: 2',
    { a: 'cd', b: true, c: { x: 1 }, d: 2 },
  ],
])('a bag is bound to %s', (_, properties, args, expected) => {
  expect(boundIn(compiled(properties, args))).toEqual(expected)
})

test('names are bound in their order, whatever the order of declarations and arguments', () => {
  const outcome = compiled('  b: { type: any }\n  a: { type: any }\n  B: { type: any }', 'b: 1, a: 2, B: 3')
  expect(Object.keys(boundIn(outcome) as object)).toEqual(['B', 'a', 'b'])
})

test.each<[string, string, string, readonly unknown[]]>([
  ['a default that is wrong', '  a: { type: number, default: x }', '', [['MU508', 'number', 'string']]],
  ['no default that is wrong, if something is given', '  a: { type: number, default: x }', 'a: 1', []],
  [
    'a default of a schema',
    '  a: { type: { base: number, minimum: 1 }, default: 0 }',
    '',
    [['MU517', 'minimum', 1, 0]],
  ],
  [
    'declared names in their order, then unknown ones in theirs',
    '  d: { type: number }\n  c: { type: number }\n  b: { type: any }',
    'z: 1, y: 1, d: x, c: x',
    [
      ['MU506', 'b'],
      ['MU508', 'number', 'string'],
      ['MU508', 'number', 'string'],
      ['MU507', 'y'],
      ['MU507', 'z'],
    ],
  ],
  [
    'unknown names of an object in their order',
    '  a: { type: { properties: {} } }',
    'a: { z: 1, y: 1 }',
    [
      ['MU507', 'y'],
      ['MU507', 'z'],
    ],
  ],
  ['null for an unknown name', '  a: { type: any, optional: true }', 'b: ~', [['MU507', 'b']]],
  [
    'every kind where text is wanted',
    '  a: { type: "map[string]string" }',
    'a: { b: [], c: {}, d: 1.5, e: false, f: ~ }',
    [
      ['MU508', 'string', 'list'],
      ['MU508', 'string', 'map'],
      ['MU508', 'string', 'number'],
      ['MU508', 'string', 'bool'],
      ['MU508', 'string', 'null'],
      ['MU508', 'map[string]string', 'map'],
    ],
  ],
  [
    'every kind where a service is wanted',
    '  a: { type: "service[]" }',
    'a: [1, true, ~, [], {}]',
    [
      ['MU508', 'service', 'number'],
      ['MU508', 'service', 'bool'],
      ['MU508', 'service', 'null'],
      ['MU508', 'service', 'list'],
      ['MU508', 'service', 'map'],
      ['MU508', 'service[]', 'list'],
    ],
  ],
  [
    'a key before its value',
    '  a: { type: "map[number]bool" }',
    'a: { x: 1 }',
    [
      ['MU508', 'number', 'string'],
      ['MU508', 'bool', 'number'],
      ['MU508', 'map[number]bool', 'map'],
    ],
  ],
  [
    'keys of truth values and numbers, whose text is another one',
    '  a: { type: "map[bool]any" }\n  b: { type: "map[number]any" }',
    'a: { 1: x, "true": y }, b: { "7": x, true: y }',
    [
      ['MU508', 'bool', 'number'],
      ['MU508', 'map[bool]any', 'map'],
      ['MU508', 'number', 'bool'],
      ['MU508', 'map[number]any', 'map'],
    ],
  ],
  [
    'nothing around an object in a map, and what is around a list in it',
    '  a: { type: "map[string]o" }\nschema: { private: { o: { properties: { x: { type: "number[]" } } } } }',
    'a: { k: { x: [y] } }',
    [
      ['MU508', 'number', 'string'],
      ['MU508', 'number[]', 'list'],
    ],
  ],
  [
    'nothing around what is missing or unknown in an object',
    '  a: { type: "o[]" }\nschema: { private: { o: { properties: { x: { type: any } } } } }',
    'a: [{ y: 1 }]',
    [
      ['MU506', 'x'],
      ['MU507', 'y'],
    ],
  ],
  [
    'nothing around a service that there is not',
    '  a: { type: "map[string]service[]" }\n  b: { type: "map[string]service" }',
    'a: { k: [no, "no way"] }, b: { k: nor }',
    [
      ['MU509', 'no'],
      ['MU514', 'no way'],
      ['MU509', 'nor'],
    ],
  ],
  [
    'lists around the base of a schema',
    '  a: { type: "s[]" }\nschema: { private: { s: { base: number, minimum: 3 } } }',
    'a: [x, 1]',
    [
      ['MU508', 's', 'string'],
      ['MU517', 'minimum', 3, 1],
      ['MU508', 's[]', 'list'],
    ],
  ],
  [
    'the schema where a service is its base',
    '  a: { type: "s[]" }\nschema: { private: { s: { base: r }, r: { base: service } } }',
    'a: [1, no, {}]',
    [
      ['MU508', 's', 'number'],
      ['MU509', 'no'],
      ['MU508', 's', 'map'],
      ['MU508', 's[]', 'list'],
    ],
  ],
  [
    'constraints of a number, in their order',
    '  a: { type: { base: number, enum: [7], minimum: 4, maximum: 1 } }',
    'a: 2',
    [
      ['MU517', 'maximum', 1, 2],
      ['MU517', 'minimum', 4, 2],
      ['MU517', 'enum', [7], 2],
    ],
  ],
  [
    'fractions beyond a bound',
    '  a: { type: { base: number, maximum: 1.5 } }\n  b: { type: { base: number, minimum: 1.5 } }',
    'a: 1.51, b: 1.49',
    [
      ['MU517', 'maximum', 1.5, 1.51],
      ['MU517', 'minimum', 1.5, 1.49],
    ],
  ],
  [
    'lengths in code points',
    '  a: { type: { base: string, minLength: 2 } }\n  b: { type: { base: string, maxLength: 1 } }',
    'a: "😀", b: "é😀"',
    [
      ['MU517', 'minLength', 2, 1],
      ['MU517', 'maxLength', 1, 2],
    ],
  ],
  [
    'the whole text, of several lines too',
    '  a: { type: { base: string, pattern: "[a-z]+" } }\n  b: { type: { base: string, pattern: "a" } }\n  c: { type: { base: string, pattern: "" } }',
    'a: "ab\\n", b: "ba", c: "x"',
    [
      ['MU517', 'pattern', '[a-z]+', 'ab\n'],
      ['MU517', 'pattern', 'a', 'ba'],
      ['MU517', 'pattern', '', 'x'],
    ],
  ],
  [
    'what is not equal as JSON',
    '  a: { type: { base: any, enum: [1, "1", true, [1, 2], { x: 1, y: 2 }] } }\n  b: { type: { base: any, enum: [[1, 2]] } }\n  c: { type: { base: any, enum: [{ x: 1 }] } }',
    'a: "true", b: [2, 1], c: { x: 1, y: 1 }',
    [
      ['MU517', 'enum', [1, '1', true, [1, 2], { x: 1, y: 2 }], 'true'],
      ['MU517', 'enum', [[1, 2]], [2, 1]],
      ['MU517', 'enum', [{ x: 1 }], { x: 1, y: 1 }],
    ],
  ],
  [
    'an object that violates its enum',
    '  a: { type: { properties: { x: { type: any } }, enum: [{ x: 1 }] } }',
    'a: { x: 2 }',
    [['MU517', 'enum', [{ x: 1 }], { x: 2 }]],
  ],
])('checking a bag tells %s', (_, properties, args, expected) => {
  expect(errorsOf(compiled(properties, args))).toEqual(expected)
})
