import { expect, test } from 'vitest'
import { compileTexts, errorsOf, server, type Texts } from './testing.ts'

test.each<[string, Texts, readonly unknown[]]>([
  [
    'two specs for one name in a file',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b@1.0.0 }, y: { type: b }, z: { type: b@^1.0.0 } } }',
      'b/Mu.yaml': server('b'),
    },
    [['MU502', 'b']],
  ],
  [
    'two specs in a file and its nested stacks, or in their presets',
    {
      'Mu.yaml': `name: a
stacks: { private: { s: { services: { private: { x: { type: b }, y: { type: c } } } }, t: { type: c@1.0.0 }, u: { services: { private: { x: { type: b }, z: { type: odd } } } } } }
services: { private: { d: { type: b@1.0.0 }, e: { type: s }, f: { type: t }, g: { type: u } } }`,
      'b/Mu.yaml': server('b'),
      'c/Mu.yaml': server('c'),
      'odd/Mu.yaml': 'name: odd\nversion: 1.0',
    },
    [
      ['MU502', 'b'],
      ['MU502', 'c'],
    ],
  ],
  [
    'one spec in a file, another one in each of two expansions of another file',
    {
      'Mu.yaml': 'name: a\nservices: { private: { b: , x: { type: c, v: 1 }, y: { type: c, v: 2 } } }',
      'b/Mu.yaml': server('b'),
      'c/Mu.yaml': 'name: c\nproperties: { v: { type: number } }\nservices: { private: { b@{{.args.v}}.0.0: } }',
    },
    [],
  ],
  [
    'specs of references that differ in more: base, protocol',
    {
      'Mu.yaml':
        'name: a\nservices: { private: { x: { type: b@1.0.0 }, y: { type: x.y/b@2.0.0 }, z: { type: "git://hub.mu.com/b@^1.0.0" } } }',
      'b/Mu.yaml': server('b'),
    },
    [],
  ],
  [
    'two specs for a name of another base, which is told without it',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: x.y/b@1.0.0 }, y: { type: x.y/b@2.0.0 } } }',
      'b/Mu.yaml': server('b'),
    },
    [['MU502', 'b']],
  ],
  [
    'two specs, one of them of the base of a nested stack',
    {
      'Mu.yaml':
        'name: a\nstacks: { private: { s: { base: b } } }\nservices: { private: { x: { type: b@1.0.0 }, y: { type: s } } }',
      'b/Mu.yaml': server('b'),
    },
    [['MU502', 'b']],
  ],
  [
    'two specs of a reference that is spelt in two ways',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b@1.0.0 }, y: { type: "https://hub.mu.com/b" } } }',
      'b/Mu.yaml': server('b'),
    },
    [['MU502', 'b']],
  ],
  [
    'a spec and one of the workspace',
    {
      'Muspace.yaml': 'dependencies: { b: 1.0.0, c: 1.0.0 }',
      'Mu.yaml':
        'name: a\nservices: { private: { w: { type: b }, x: { type: b@latest }, y: { type: c }, z: { type: c@1.0.0 } } }',
      'b/Mu.yaml': server('b'),
      'c/Mu.yaml': server('c'),
    },
    [['MU502', 'b']],
  ],
  [
    'references of two bases that lead to different files',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, y: { type: x.y/b } } }',
      'b/Mu.yaml': server('b'),
      'x.y/b/Mu.yaml': server('b'),
    },
    [],
  ],
  [
    'references that lead to different files of one name',
    {
      'Mu.yaml': 'name: a\nservices: { private: { b@1.0.0: , c: { type: c } } }',
      'b/Mu.yaml': server('b', '[80]', 'version: 1.0.0'),
      '.Mudeps/b/Mu.yaml': server('b', '[80]', 'version: 2.0.0'),
      'c/Mu.yaml': 'name: c\nservices: { public: { b@2.0.0: } }',
    },
    [['MU502', 'b']],
  ],
])('references to one stack: %s', (_, texts, expected) => {
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})
