import { expect, test } from 'vitest'
import { compileTexts, errorsOf, ONE, server, type Texts } from './testing.ts'

test.each<[string, Texts, readonly unknown[]]>([
  [
    'a base that is missing',
    {
      'Mu.yaml': `name: a\nbase: b\nproperties: { p: { type: word } }\nservices: { private: { log: {}, x: { type: no/such } } }`,
    },
    [
      ['MU503', 'https://hub.mu.com/b@latest'],
      ['MU503', 'https://hub.mu.com/no/such@latest'],
    ],
  ],
  ['a base that is no reference', { 'Mu.yaml': `name: a\nbase: b@1\n${ONE}` }, [['MU156', 'b@1']]],
  [
    'a cycle of bases',
    {
      'Mu.yaml': `name: r\nservices: { private: { x: { type: a } } }`,
      'a/Mu.yaml': 'name: a\nbase: c',
      'b/Mu.yaml': 'name: b\nbase: c',
      'c/Mu.yaml': 'name: c\nbase: b',
    },
    [['MU602', 'b', 'c']],
  ],
  [
    'a base of another version than that of a service',
    {
      'Mu.yaml': 'name: a\nbase: s@1.0.0\nservices: { private: { y: { type: s } } }',
      's/Mu.yaml': server('s', '[80]', 'version: 1.0.0'),
    },
    [['MU502', 's']],
  ],
  [
    'references of the base are none of the subclass',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { private: { y: { type: s } } }',
      'b/Mu.yaml': 'name: b\nabstract: true\nservices: { private: { x: { type: s@1.0.0 } } }',
      's/Mu.yaml': server('s', '[80]', 'version: 1.0.0'),
    },
    [],
  ],
  [
    'references in properties and presets of the base are none of the subclass either',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { private: { x: { type: n }, y: { type: s } } }',
      'b/Mu.yaml': `name: b
abstract: true
properties: { p: { type: s@1.0.0, optional: true } }
stacks: { private: { n: { type: s@1.0.0 } } }
services: { private: { z: { type: n } } }`,
      's/Mu.yaml': server('s', '[80]', 'version: 1.0.0'),
    },
    [],
  ],
  [
    'references of a subclass that differ, whatever the base refers to',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { private: { y: { type: s@1.0.0 }, z: { type: s } } }',
      'b/Mu.yaml': 'name: b\nabstract: true\nservices: { private: { x: { type: s@1.0.0 } } }',
      's/Mu.yaml': server('s', '[80]', 'version: 1.0.0'),
    },
    [['MU502', 's']],
  ],
  [
    'references of a subclass that differ',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { private: { y: { type: s }, z: { type: s@1.0.0 } } }',
      'b/Mu.yaml': server('b'),
      's/Mu.yaml': server('s', '[80]', 'version: 1.0.0'),
    },
    [['MU502', 's']],
  ],
  [
    'a base in a file, which does not see what is around a nested stack',
    {
      'Mu.yaml':
        'name: a\nschema: { private: { word: { base: string } } }\nstacks: { private: { s: { base: b } } }\nservices: { private: { x: { type: s } } }',
      'b/Mu.yaml': 'name: b\nabstract: true\nproperties: { p: { type: word, optional: true } }',
    },
    [['MU503', 'https://hub.mu.com/word@latest']],
  ],
  [
    'missing properties, in the order of their names',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: c } } }',
      'b/Mu.yaml': 'name: b\nabstract: true\nproperties: { b: { type: any }, z: { type: any } }',
      'c/Mu.yaml': `name: c\nbase: b\nproperties: { a: { type: any }, y: { type: any } }\n${ONE}`,
    },
    [
      ['MU506', 'a'],
      ['MU506', 'b'],
      ['MU506', 'y'],
      ['MU506', 'z'],
    ],
  ],
  [
    'a property that is declared wider',
    {
      'Mu.yaml': `name: r\nservices: { private: { x: { type: a } } }`,
      'a/Mu.yaml':
        'name: a\nbase: b\nproperties: { p: { type: any }, q: { type: number }, r: { type: "string[]" }, s: { type: sub }, t: { type: sup }, u: { type: service } }',
      'b/Mu.yaml': `name: b\nabstract: true\nproperties: { p: { type: string, optional: true }, q: { type: any, optional: true }, r: { type: "any[]", optional: true }, s: { type: sup, optional: true }, t: { type: sub, optional: true }, u: { type: sup, optional: true } }\n${ONE}`,
      'sup/Mu.yaml': 'name: sup\nabstract: true',
      'sub/Mu.yaml': `name: sub\nbase: sup\n${ONE}`,
    },
    [
      ['MU508', 'string', 'any'],
      ['MU508', 'sub', 'sup'],
      ['MU508', 'sup', 'service'],
    ],
  ],
  [
    'a property whose schema is another one, though it is called alike',
    {
      'Mu.yaml':
        'name: a\nabstract: true\nbase: b\nproperties: { p: { type: { base: string, enum: [a, b] }, optional: true } }',
      'b/Mu.yaml': 'name: b\nabstract: true\nproperties: { p: { type: { base: string, enum: [a] }, optional: true } }',
    },
    [['MU508', 'string', 'string']],
  ],
  [
    'a service that becomes private',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { private: { main: {} } }',
      'b/Mu.yaml': server('b'),
    },
    [['MU606', 'main', 'a']],
  ],
  [
    'a service that is declared again with another stack',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { public: { main: { type: mu/gateway } } }',
      'b/Mu.yaml': server('b'),
    },
    [['MU508', 'mu/container', 'mu/gateway']],
  ],
  [
    'a key that is neither an inherited service nor a reference',
    { 'Mu.yaml': 'name: a\nbase: b\nservices: { public: { ma-in: {} } }', 'b/Mu.yaml': server('b') },
    [['MU156', 'ma-in']],
  ],
  [
    'inherited services whose names have the same last part',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { private: { n/v: {}, m/v: , v: { port: 1 } } }',
      'b/Mu.yaml':
        'name: b\nservices: { private: { n/v: { type: mu/volume }, m/v: { type: mu/volume }, v: { type: mu/container } } }',
    },
    [],
  ],
  [
    'an inherited service twice',
    {
      'Mu.yaml': 'name: a\nbase: b\nservices: { private: { n/v: }, public: { n/v: } }',
      'b/Mu.yaml': 'name: b\nservices: { private: { n/v: { type: mu/volume } } }',
    },
    [['MU502', 'n/v']],
  ],
  [
    'a service twice, over a base',
    {
      'Mu.yaml':
        'name: a\nbase: b\nservices: { private: { mu/container: }, public: { container: { type: mu/volume } } }',
      'b/Mu.yaml': 'name: b\nabstract: true',
    },
    [['MU502', 'container']],
  ],
  [
    'a service with a type twice, over a base that is missing',
    {
      'Mu.yaml':
        'name: a\nbase: b\nservices: { private: { c: { type: mu/volume } }, public: { c: { type: mu/volume } } }',
    },
    [['MU502', 'c']],
  ],
  [
    'abstract is not inherited',
    {
      'Mu.yaml': 'name: r\nservices: { private: { x: { type: a } } }',
      'a/Mu.yaml': 'name: a\nbase: b',
      'b/Mu.yaml': 'name: b\nabstract: true',
    },
    [['MU504']],
  ],
  [
    'presets of a nested stack that is none',
    { 'Mu.yaml': 'name: a\nstacks: { private: { s: { type: "no!" } } }\nservices: { private: { x: { type: s } } }' },
    [['MU156', 'no!']],
  ],
])('%s', (_, texts, expected) => {
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})

test.each<[string, string, readonly unknown[]]>([
  ['string[]', 'map[string]string', [['MU508', 'map[string]string', 'string[]']]],
  ['any[]', 'string[]', [['MU508', 'string[]', 'any[]']]],
  ['map[string]string', 'string[]', [['MU508', 'string[]', 'map[string]string']]],
  ['map[number]any', 'map[string]any', [['MU508', 'map[string]any', 'map[number]any']]],
  ['map[string]any', 'map[string]string', [['MU508', 'map[string]string', 'map[string]any']]],
  ['sub', 'sup[]', [['MU508', 'sup[]', 'sub']]],
  ['sub', 'string', [['MU508', 'string', 'sub']]],
  ['string[]', 'string', [['MU508', 'string', 'string[]']]],
  ['string', 'string[]', [['MU508', 'string[]', 'string']]],
  ['word', 'number', [['MU508', 'number', 'word']]],
  ['word', 'string[]', [['MU508', 'string[]', 'word']]],
  ['word', 'other', [['MU508', 'other', 'word']]],
  ['thing', 'string', [['MU508', 'string', 'thing']]],
  ['thing', 'sup', [['MU508', 'sup', 'thing']]],
  ['map[any]any', 'string', [['MU154', 'map[any]any']]],
  ['map[any]any', 'string[]', [['MU154', 'map[any]any']]],
  ['ring', 'sup', [['MU508', 'sup', 'ring']]],
  ['word', 'word', []],
  ['sub', 'sup', []],
  ['lower', 'sup', []],
  ['villa', 'house', []],
  ['villa', 'sup', []],
  ['preset', 'sup', []],
  ['house', 'villa', [['MU508', 'villa', 'house']]],
  ['hut', 'sup', [['MU508', 'sup', 'hut']]],
])('a property of type %s is not narrower than %s, unless nothing is found', (own, inherited, expected) => {
  const outcome = compileTexts({
    'Mu.yaml': `name: a\nabstract: true\nbase: b\nproperties: { p: { type: "${own}", optional: true } }`,
    'b/Mu.yaml': `name: b
abstract: true
properties: { p: { type: "${inherited}", optional: true } }
schema: { private: { word: { base: string }, other: { base: string }, thing: { properties: {} } } }
stacks:
  private:
    house: { base: sub, abstract: true }
    villa: { base: house, abstract: true }
    preset: { type: villa }
    hut: { abstract: true }`,
    'sup/Mu.yaml': 'name: sup\nabstract: true',
    'sub/Mu.yaml': 'name: sub\nbase: sup\nabstract: true',
    'lower/Mu.yaml': 'name: lower\nbase: sub\nabstract: true',
    'ring/Mu.yaml': 'name: ring\nbase: gnir',
    'gnir/Mu.yaml': 'name: gnir\nbase: ring',
  })
  expect(errorsOf(outcome)).toEqual(expected)
})
