import { expect, test } from 'vitest'
import { compileTexts, errorsOf, ONE, server, type Texts, user, warningsOf } from './testing.ts'

const ABSTRACT = 'name: abs\nabstract: true\n'

test.each<[string, Texts, readonly unknown[]]>([
  [
    'a file is read: first all shapes, then the types of schemas, then those of properties',
    {
      'Mu.yaml':
        'name: a\nversion: 1.0\nproperties: { p: { type: "[]p", optional: 1 } }\nschema: { public: { s: { base: "[]s" } }, private: { t: { base: "[]t" } } }\nstacks: { private: { n: { properties: { q: { type: "[]n" } } } }, public: { o: {} } }',
    },
    [['MU151'], ['MU604', 'o'], ['MU155', '[]t'], ['MU155', '[]s'], ['MU155', '[]p'], ['MU155', '[]n']],
  ],
  [
    'names are entered: base, name, version, schemas, services',
    {
      'Mu.yaml':
        'name: ""\nversion: 1.0\nbase: b@1\nschema: { private: { s: { base: no } }, public: { s: { base: no } } }\nservices: { private: { x: { type: y-z }, w: { type: mu/container } }, public: { w: { type: no } } }',
    },
    [['MU156', 'b@1'], ['MU500'], ['MU501', '1.0'], ['MU502', 's'], ['MU156', 'y-z'], ['MU502', 'w']],
  ],
  [
    'words are resolved: the base, schemas, services, properties; keys of maps are left for later',
    {
      'Mu.yaml':
        'name: a\nbase: b\nproperties: { p: { type: no/p }, q: { type: "map[any]int" } }\nschema: { private: { s: { base: no/s } } }\nservices: { private: { x: { type: no/x }, y: { type: v@2.0.0 } } }',
      'b/Mu.yaml': 'name: b\nversion: 1.0\nabstract: true',
      'v/Mu.yaml': server('v', '[80]', 'version: 1.0.0'),
    },
    [
      ['MU501', '1.0'],
      ['MU503', 'https://hub.mu.com/no/s@latest'],
      ['MU503', 'https://hub.mu.com/no/x@latest'],
      ['MU605', 'v', '2.0.0', '1.0.0'],
      ['MU503', 'https://hub.mu.com/no/p@latest'],
    ],
  ],
  [
    'words are resolved: a cycle of bases, before other words, and nothing is bound',
    {
      'Mu.yaml':
        'name: a\nbase: b\nproperties: { p: { type: "map[any]any" } }\nservices: { private: { x: { type: no/x } } }',
      'b/Mu.yaml': 'name: b\nbase: c\nversion: 1.0.0\nservices: { private: { x: { type: no/b } } }',
      'c/Mu.yaml': 'name: c\nbase: b',
    },
    [
      ['MU602', 'b', 'c'],
      ['MU503', 'https://hub.mu.com/no/b@latest'],
      ['MU503', 'https://hub.mu.com/no/x@latest'],
    ],
  ],
  [
    'a stack is bound: words in lists and maps, specs, schemas, what replaces what is inherited, files of services',
    {
      'Mu.yaml': `name: a
base: b
properties: { p: { type: w/In }, q: { type: any }, r: { type: "map[any]int" }, s: { type: "map[string]int[]" } }
schema: { private: { u: { base: mu/container }, v: { base: number, pattern: x } } }
services: { private: { c: { type: abs }, d: { type: bad }, e: { type: s@1.0.0 }, f: { type: s }, main: {}, x: { type: bad } } }`,
      'b/Mu.yaml': server('b', '[80]', 'properties: { q: { type: string } }'),
      'abs/Mu.yaml': ABSTRACT,
      'bad/Mu.yaml': 'name: []',
      's/Mu.yaml': server('s', '[80]', 'version: 1.0.0'),
      'w/Mu.yaml': 'name: w\nabstract: true\nschema: { private: { In: { base: any } } }',
    },
    [
      ['MU503', 'https://hub.mu.com/int@latest'],
      ['MU154', 'map[any]int'],
      ['MU502', 's'],
      ['MU516', 'mu/container'],
      ['MU517', 'pattern', 'string', 'number'],
      ['MU516', 'w/In'],
      ['MU508', 'string', 'any'],
      ['MU606', 'main', 'a'],
      ['MU505', 'c', 'abs'],
      ['MU151'],
    ],
  ],
  [
    'a stack is bound: two specs for a name come before the lack of services, and that before schemas',
    {
      'Mu.yaml':
        'name: a\nproperties: { p: { type: v@1.0.0 }, q: { type: v } }\nschema: { private: { s: { base: mu/container } } }',
      'v/Mu.yaml': server('v', '[80]', 'version: 1.0.0'),
    },
    [['MU502', 'v'], ['MU504'], ['MU516', 'mu/container']],
  ],
  [
    'services are read: what makes itself is told with what is abstract, before what is wrong with others',
    {
      'Mu.yaml': 'name: a\nservices: { private: { b: } }',
      'b/Mu.yaml':
        'name: b\nservices: { private: { w: { type: odd }, x: { type: abs }, y: { type: b }, z: { type: abs } } }',
      'abs/Mu.yaml': ABSTRACT,
      'odd/Mu.yaml': 'name: odd\nversion: 1.0',
    },
    [
      ['MU505', 'x', 'abs'],
      ['MU601', 'b'],
      ['MU505', 'z', 'abs'],
    ],
  ],
  [
    'services are bound in their order, each with all that is below it',
    {
      'Mu.yaml':
        'name: a\nservices: { public: { b: { type: v } }, private: { x: { type: d }, c: { type: d }, d: { type: v } } }',
      'd/Mu.yaml': 'name: d\nservices: { private: { n: { type: e } }, public: { m: { type: f } } }',
      'e/Mu.yaml': 'name: e\nservices: { private: { x: { type: no } } }',
      'f/Mu.yaml': 'name: f\nversion: 2.0',
      'v/Mu.yaml': 'name: v\nversion: 1.0',
    },
    [
      ['MU503', 'https://hub.mu.com/no@latest'],
      ['MU501', '2.0'],
      ['MU501', '1.0'],
    ],
  ],
  [
    'arguments are checked: children before parents, services in order, the root last',
    {
      'Mu.yaml':
        'name: a\nproperties: { root: { type: any } }\nservices: { public: { b: { type: u } }, private: { z: { type: u }, c: { type: v } } }',
      'u/Mu.yaml': user('u', '  u: { type: any }'),
      'v/Mu.yaml': 'name: v\nproperties: { v: { type: any } }\nservices: { private: { n: { type: w } } }',
      'w/Mu.yaml': user('w', '  w: { type: any }'),
    },
    [
      ['MU506', 'w'],
      ['MU506', 'v'],
      ['MU506', 'u'],
      ['MU506', 'u'],
      ['MU506', 'root'],
    ],
  ],
  [
    'arguments are checked only where nothing is wrong with any stack',
    {
      'Mu.yaml': 'name: a\nproperties: { p: { type: any } }\nservices: { private: { x: { type: u }, y: { type: v } } }',
      'u/Mu.yaml': user('u', '  u: { type: any }'),
      'v/Mu.yaml': 'name: v\nversion: 1.0',
    },
    [['MU501', '1.0']],
  ],
])('in this order, %s', (_, texts, expected) => {
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})

/** What phases find, in the order of the phases; each has a later one beside it, which must not be reached. */
test.each<[string, string, readonly unknown[]]>([
  ['shapes', 'name: a\nabstract: []\nversion: 1.0', [['MU151']]],
  ['public nested stacks', 'name: a\nversion: 1.0\nstacks: { public: { o: {} } }', [['MU604', 'o']]],
  ['keys in their order', 'name: a\nstacks: { public: { o: {} } }\nservices: 3', [['MU151'], ['MU604', 'o']]],
  ['later keys', 'name: a\nversion: []\nstacks: { public: { o: {} } }', [['MU604', 'o'], ['MU151']]],
  ['names', `name: a\nversion: 1.0\nschema: { private: { s: { base: no } } }\n${ONE}`, [['MU501', '1.0']]],
  [
    'files of words',
    'name: a\nschema: { private: { s: { base: no }, t: { base: number, pattern: x } } }\nservices: { private: { x: { type: abs } } }',
    [['MU503', 'https://hub.mu.com/no@latest']],
  ],
  [
    'types',
    'name: a\nproperties: { p: { type: "int[]" } }\nservices: { private: { x: { type: odd } } }',
    [['MU503', 'https://hub.mu.com/int@latest']],
  ],
  [
    'files of services',
    'name: a\nservices: { private: { x: { type: abs }, y: { type: odd } } }',
    [['MU505', 'x', 'abs']],
  ],
  [
    'names of instances',
    'name: a\nservices: { private: { x/y: { type: mu/container }, x: { type: two } } }',
    [['MU502', 'a/x/y']],
  ],
])('an error of %s stops a stack before its next phase', (_, text, expected) => {
  const texts = {
    'Mu.yaml': text,
    'abs/Mu.yaml': ABSTRACT,
    'odd/Mu.yaml': 'name: odd\nversion: 1.0',
    'two/Mu.yaml': 'name: two\nservices: { private: { y: { type: mu/container }, z: { type: odd } } }',
  }
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})

test.each<[string, readonly unknown[]]>([
  ['properties: { p: { type: "int[]" } }', ['MU503', 'https://hub.mu.com/int@latest']],
  ['properties: { p: { type: "map[any]any" } }', ['MU154', 'map[any]any']],
  ['properties: { p: { type: w/In } }', ['MU516', 'w/In']],
  ['properties: { p: { type: w/None } }', ['MU516', 'w/None']],
  ['properties: { p: { type: { properties: { q: { type: w/In } } } } }', ['MU516', 'w/In']],
  ['schema: { private: { s: { base: w/In } } }', ['MU516', 'w/In']],
  ['schema: { private: { s: { properties: { q: { type: w/In } } } } }', ['MU516', 'w/In']],
  ['schema: { private: { s: { base: mu/container } } }', ['MU516', 'mu/container']],
  ['schema: { private: { s: { base: "any[]" } } }', ['MU516', 'any[]']],
  ['schema: { private: { s: { base: t }, t: { base: s } } }', ['MU516', 's']],
  ['schema: { private: { s: { base: string, maximum: 1 } } }', ['MU517', 'maximum', 'number', 'string']],
  ['base: v@1.0.0', ['MU502', 'v']],
])('what binding %s finds stops no file of a service from being read, but all that comes later', (declared, found) => {
  const texts = {
    'Mu.yaml': `name: a\n${declared}\nservices: { private: { x: { type: abs }, y: { type: bad }, z: { type: odd }, v: } }`,
    'abs/Mu.yaml': ABSTRACT,
    'bad/Mu.yaml': 'name: []',
    'odd/Mu.yaml': 'name: odd\nversion: 1.0',
    'v/Mu.yaml': server('v', '[80]', 'version: 1.0.0'),
    'w/Mu.yaml': 'name: w\nabstract: true\nschema: { private: { In: { base: any } } }',
  }
  expect(errorsOf(compileTexts(texts))).toEqual([found, ['MU505', 'x', 'abs'], ['MU151']])
})

test('keys are walked in the order of their code units', () => {
  const keys = ['a', '😀', '\uFFFD', '_', 'Z', 'é', 'aa', 'a/b']
  const text = `name: r\nproperties:\n${keys.map((key) => `  "${key}": { type: any }\n`).join('')}${ONE}`
  expect(errorsOf(compileTexts({ 'Mu.yaml': text })).map(([, name]) => name)).toEqual([
    'Z',
    '_',
    'a',
    'a/b',
    'aa',
    'é',
    '😀',
    '\uFFFD',
  ])
})

test('warnings stop nothing', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a-b\nodd: 1\nservices: { private: { c-d: { type: b } } }',
    'b/Mu.yaml': server('c'),
  })
  expect([outcome.kind, warningsOf(outcome)]).toEqual([
    'compiled',
    [
      ['MU104', 'odd'],
      ['MU106', 'a-b'],
      ['MU106', 'c-d'],
      ['MU105', 'c', 'b'],
    ],
  ])
})
