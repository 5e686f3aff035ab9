import { expect, test } from 'vitest'
import { compileTexts, errorsOf, ONE, server, type Texts, user, warningsOf } from './testing.ts'

test.each<[string, Texts, readonly unknown[]]>([
  ['an empty file has no name', { 'Mu.yaml': '' }, [['MU500']]],
  ['an empty name', { 'Mu.yaml': `name: ""\n${ONE}` }, [['MU500']]],
  ['markup, once', { 'Mu.yaml': 'name: [\nx: {' }, [['MU151']]],
  ['JSON markup', { 'Mu.json': '{ "name": }' }, [['MU151']]],
  ['a list is no stack', { 'Mu.yaml': '- a' }, [['MU151']]],
  [
    'each wrong shape',
    { 'Mu.yaml': 'name: [a]\nabstract: "true"\nproperties: [x]\nschema: x\nstacks: 1\nservices: []' },
    [['MU151'], ['MU151'], ['MU151'], ['MU151'], ['MU151'], ['MU151']],
  ],
  [
    'shapes of services',
    { 'Mu.yaml': 'name: a\nservices: { private: { a: 1, b: { type: 2 }, c: { type: [x] } } }' },
    [['MU151'], ['MU151'], ['MU151']],
  ],
  [
    'shapes of properties',
    { 'Mu.yaml': `name: a\nproperties: { a: string, b: { type: [x], optional: 1 }, c: [] }\n${ONE}` },
    [['MU151'], ['MU151'], ['MU151'], ['MU151']],
  ],
  [
    'a number that is not exact',
    { 'Mu.yaml': 'name: a\nservices: { private: { c: { type: mu/container, port: 12345678901234567890 } } }' },
    [['MU151']],
  ],
  ['versions', { 'Mu.yaml': `name: a\nversion: 1.0\n${ONE}` }, [['MU501', '1.0']]],
  ['a stack without services', { 'Mu.yaml': 'name: a' }, [['MU504']]],
  [
    'public nested stacks',
    { 'Mu.yaml': `name: a\nstacks: { public: { y: {}, x: {} } }\n${ONE}` },
    [
      ['MU604', 'x'],
      ['MU604', 'y'],
    ],
  ],
  [
    'a service twice',
    { 'Mu.yaml': 'name: a\nservices: { private: { mu/container: }, public: { container: { type: mu/container } } }' },
    [['MU502', 'container']],
  ],
  [
    'all misses of a file, each once',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: int }, q: { type: gone/Thing } }\nschema: { private: { s: { base: nope } } }\nservices: { private: { x: { type: no/such@1.0.0 }, y: { type: no/such@1.0.0 } } }`,
    },
    [
      ['MU503', 'https://hub.mu.com/nope@latest'],
      ['MU503', 'https://hub.mu.com/no/such@1.0.0'],
      ['MU503', 'https://hub.mu.com/int@latest'],
      ['MU503', 'https://hub.mu.com/gone/Thing@latest'],
    ],
  ],
  [
    'misses inside of lists and maps, and keys of maps',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: "int[]" }, q: { type: "map[any]string" }, r: { type: "map[string]map[string]char" } }\n${ONE}`,
    },
    [
      ['MU503', 'https://hub.mu.com/int@latest'],
      ['MU154', 'map[any]string'],
      ['MU503', 'https://hub.mu.com/char@latest'],
    ],
  ],
  [
    'no version fits',
    { 'Mu.yaml': 'name: a\nservices: { private: { b@^2.0.0: } }', 'b/Mu.yaml': server('b', '[80]', 'version: 1.5.0') },
    [['MU605', 'b', '^2.0.0', '1.5.0']],
  ],
  [
    'a schema where a stack is wanted',
    { 'Mu.yaml': 'name: a\nschema: { private: { s: { base: string } } }\nservices: { private: { x: { type: s } } }' },
    [['MU515', 's']],
  ],
  [
    'a stack where a schema is wanted',
    { 'Mu.yaml': `name: a\nschema: { private: { s: { base: mu/container } } }\n${ONE}` },
    [['MU516', 'mu/container']],
  ],
  [
    'a schema of another stack that is private or missing',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: w/In }, q: { type: w/Out } , r: { type: "w/No" } }\n${ONE}`,
      'w/Mu.yaml':
        'name: w\nabstract: true\ntypes: { private: { In: { base: string } }, public: { Out: { base: string } } }',
    },
    [
      ['MU516', 'w/In'],
      ['MU516', 'w/No'],
    ],
  ],
  [
    'a word that is no schema of a stack that is called almost so',
    { 'Mu.yaml': `name: a\nproperties: { p: { type: words } }\n${ONE}`, 'word/Mu.yaml': 'name: word\nabstract: true' },
    [['MU503', 'https://hub.mu.com/words@latest']],
  ],
  [
    'a schema of a stack of another base',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: x.y/w/Out, optional: true } }\n${ONE}`,
      'x.y/w/Mu.yaml': 'name: w\nabstract: true\nschema: { public: { Out: { base: string } } }',
    },
    [],
  ],
  [
    'a schema of another version of a stack that is used as well',
    {
      'Mu.yaml': 'name: a\nproperties: { p: { type: w/Out@1.0.0, optional: true } }\nservices: { private: { w: } }',
      'w/Mu.yaml': server('w', '[80]', 'version: 1.0.0\nschema: { public: { Out: { base: string } } }'),
    },
    [['MU502', 'w']],
  ],
  [
    'a schema of a version that there is not; stacks of other schemas are not read then',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: w/Out@2.0.0 }, q: { type: x/Out } }\n${ONE}`,
      'w/Mu.yaml': server('w', '[80]', 'version: 1.0.0\nschema: { public: { Out: { base: string } } }'),
      'x/Mu.yaml': server('x', '[80]', 'version: 1.0'),
    },
    [['MU605', 'w', '2.0.0', '1.0.0']],
  ],
  [
    'a schema of a stack that is wrong, each once',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: x/Out }, q: { type: "x/Out[]" }, r: { type: x/In } }\n${ONE}`,
      'x/Mu.yaml': server('x', '[80]', 'version: 1.0'),
    },
    [['MU501', '1.0']],
  ],
  [
    'a private schema in a list',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: "w/In[]" } }\n${ONE}`,
      'w/Mu.yaml': 'name: w\nabstract: true\ntypes: { private: { In: { base: string } } }',
    },
    [['MU516', 'w/In']],
  ],
  [
    'a port that is none, which is no endpoint',
    {
      'Mu.yaml':
        'name: a\nservices: { private: { c: { type: mu/container, port: 9, ports: ["80"] }, g: { type: mu/gateway, targets: [c] } } }',
    },
    [
      ['MU508', 'number', 'string'],
      ['MU508', 'number[]', 'list'],
    ],
  ],
  [
    'malformed types',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: "[]" }, q: { type: "map[ ]x" }, r: { type: "map[string]" }, s: { type: "map[x y]any" } }\n${ONE}`,
    },
    [
      ['MU155', '[]'],
      ['MU154', 'map[ ]x'],
      ['MU154', 'map[string]'],
      ['MU156', 'x y'],
      ['MU154', 'map[x y]any'],
    ],
  ],
  [
    'schemas that are based on each other',
    { 'Mu.yaml': `name: a\nschema: { private: { s: { base: t }, t: { base: s } } }\n${ONE}` },
    [['MU516', 's']],
  ],
  [
    'constraints that do not fit',
    {
      'Mu.yaml': `name: a\nschema: { private: { s: { base: number, pattern: x, minLength: 1 }, t: { base: string, maximum: 1 }, u: { base: string, pattern: "(" }, v: { base: s, pattern: y } } }\n${ONE}`,
    },
    [
      ['MU517', 'pattern', 'string', 'number'],
      ['MU517', 'minLength', 'string', 'number'],
      ['MU517', 'maximum', 'number', 'string'],
      ['MU517', 'pattern', 'string', 'string'],
      ['MU517', 'pattern', 'string', 's'],
    ],
  ],
  [
    'a service of an abstract stack',
    { 'Mu.yaml': 'name: a\nservices: { private: { x: { type: b } } }', 'b/Mu.yaml': 'name: bb\nabstract: true' },
    [['MU505', 'x', 'bb']],
  ],
  [
    'a service of an abstract nested stack',
    { 'Mu.yaml': 'name: a\nstacks: { private: { s: { abstract: true } } }\nservices: { private: { x: { type: s } } }' },
    [['MU505', 'x', 's']],
  ],
  [
    'a service of an abstract stack, without type',
    { 'Mu.yaml': 'name: a\nservices: { private: { n/b: } }', 'n/b/Mu.yaml': 'name: n/b\nabstract: true' },
    [['MU505', 'b', 'n/b']],
  ],
  [
    'errors in the files of services stop the parent, and are reported together',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, y: { type: c }, z: { type: d } } }',
      'b/Mu.yaml': 'name: []',
      'c/Mu.yaml': 'name: c\nproperties: { p: { type: "x[]y" } }',
      'd/Mu.yaml': 'name: d\nservices: { private: { n: { type: no } } }',
    },
    [['MU151'], ['MU155', 'x[]y']],
  ],
  [
    'siblings of an instance that failed go on',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, z: { type: d } } }',
      'b/Mu.yaml': 'name: b\nversion: x\nservices: { private: { n: { type: no } } }',
      'd/Mu.yaml': 'name: d\nservices: { private: { n: { type: no } } }',
    },
    [
      ['MU501', 'x'],
      ['MU503', 'https://hub.mu.com/no@latest'],
    ],
  ],
  [
    'references in schemas come before the lack of services',
    { 'Mu.yaml': 'name: a\nproperties: { p: { type: { base: nope } } }' },
    [['MU503', 'https://hub.mu.com/nope@latest'], ['MU504']],
  ],
  [
    'where words are missing, nothing is bound',
    { 'Mu.yaml': 'name: a\nproperties: { p: { type: nope }, q: { type: "int[]" } }' },
    [['MU503', 'https://hub.mu.com/nope@latest']],
  ],
  [
    'an error of a file that is found by two references is reported once',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, y: { type: z.z/b } } }',
      'b/Mu.yaml': 'name: b\nversion: 1.0',
    },
    [['MU501', '1.0']],
  ],
  [
    'schemas of stacks that use each other',
    {
      'Mu.yaml': `name: a\nproperties: { p: { type: v/Out, default: { w: { v: {} } } } }\n${ONE}`,
      'v/Mu.yaml':
        'name: v\nabstract: true\nschema: { public: { Out: { properties: { w: { type: w/Out, optional: true } } } } }',
      'w/Mu.yaml':
        'name: w\nabstract: true\nschema: { public: { Out: { properties: { v: { type: v/Out, optional: true } } } } }',
    },
    [],
  ],
  [
    'an error of a stack that occurs twice is reported once',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, y: { type: b } } }',
      'b/Mu.yaml': 'name: b\nservices: { private: { n: { type: no } } }',
    },
    [['MU503', 'https://hub.mu.com/no@latest']],
  ],
  [
    'a stack that makes itself',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b } } }',
      'b/Mu.yaml': 'name: b\nservices: { private: { y: { type: c } } }',
      'c/Mu.yaml': 'name: c\nservices: { private: { z: { type: b } } }',
    },
    [['MU601', 'b', 'c']],
  ],
  [
    'shapes of schemas and constraints',
    {
      'Mu.yaml': `name: a
properties: { p: , q: { type: { base: { x: y } } } }
schema: { private: { s: { base: string, properties: {} }, t: { base: number, minimum: "1" }, u: { base: any, enum: x } } }
${ONE}`,
    },
    [['MU151'], ['MU151'], ['MU151'], ['MU151'], ['MU151']],
  ],
  [
    'a schema twice',
    {
      'Mu.yaml': `name: a\nschema: { private: { s: { base: any } } }\ntypes: { public: { s: { base: any } } }\n${ONE}`,
    },
    [['MU502', 's']],
  ],
  [
    'a key without type that is no reference',
    { 'Mu.yaml': 'name: a\nservices: { private: { my-log: {} } }' },
    [['MU156', 'my-log']],
  ],
  [
    'a key without type that is no reference, before words are looked up',
    { 'Mu.yaml': 'name: a\nproperties: { p: { type: nope } }\nservices: { private: { my-log: {} } }' },
    [['MU156', 'my-log']],
  ],
  [
    'private services first, both in the order of their keys',
    {
      'Mu.yaml':
        'name: a\nservices: { public: { d: { type: w }, b: { type: x } }, private: { e: { type: y }, c: { type: z } } }',
      'w/Mu.yaml': 'name: w\nabstract: true',
      'x/Mu.yaml': 'name: x\nabstract: true',
      'y/Mu.yaml': 'name: y\nabstract: true',
      'z/Mu.yaml': 'name: z\nabstract: true',
    },
    [
      ['MU505', 'c', 'z'],
      ['MU505', 'e', 'y'],
      ['MU505', 'b', 'x'],
      ['MU505', 'd', 'w'],
    ],
  ],
  [
    'a root that makes itself, as its namespace is that of the workspace',
    {
      'Mu.yaml': 'name: r\nservices: { private: { x: { type: n/w } } }',
      'w/Mu.yaml': 'name: n/w\nservices: { private: { y: { type: n/w } } }',
      'Muspace.yaml': 'namespace: n',
    },
    [['MU601', 'n/w']],
  ],
  [
    'a stack that makes itself with other arguments each time',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b, n: 1 } } }',
      'b/Mu.yaml':
        'name: b\nproperties: { n: { type: number } }\nservices: { private: { y: { type: b, n: {{add1 .Properties.n}} } } }',
    },
    [['MU601', 'b']],
  ],
  [
    'presets that lead to each other',
    {
      'Mu.yaml':
        'name: a\nstacks: { private: { s: { type: t }, t: { type: s } } }\nservices: { private: { x: { type: s } } }',
    },
    [['MU601', 's', 't']],
  ],
  [
    'two equal fully qualified names',
    {
      'Mu.yaml': 'name: a\nservices: { private: { x: { type: b }, x/main: { type: mu/container } } }',
      'b/Mu.yaml': server('b'),
    },
    [['MU502', 'a/x/main']],
  ],
])('errors: %s', (_, texts, expected) => {
  expect(errorsOf(compileTexts(texts))).toEqual(expected)
})

test.each<[string, Texts, readonly unknown[]]>([
  [
    'unknown keys',
    {
      'Mu.yaml': `name: a\nnmae: b\nservices: { private: { c: { type: mu/container } }, other: {} }\nproperties: { p: { type: any, defualt: 1, optional: true }, q: { type: { base: any, patern: x }, optional: true } }`,
    },
    [
      ['MU104', 'nmae'],
      ['MU104', 'defualt'],
      ['MU104', 'patern'],
      ['MU104', 'other'],
    ],
  ],
  [
    'a found name that differs',
    { 'Mu.yaml': 'name: a\nservices: { private: { b: } }', 'b/Mu.yaml': server('c') },
    [['MU105', 'c', 'b']],
  ],
  [
    'names that are none',
    { 'Mu.yaml': 'name: a-b\nservices: { private: { c-d: { type: mu/container } } }' },
    [
      ['MU106', 'a-b'],
      ['MU106', 'c-d'],
    ],
  ],
])('warnings: %s', (_, texts, expected) => {
  const outcome = compileTexts(texts)
  expect([errorsOf(outcome), warningsOf(outcome)]).toEqual([[], expected])
})

test('a place is in the file as written, before its template was expanded', () => {
  const { findings } = compileTexts({
    'Mu.yaml':
      'name: a\n{{/* a comment\nof two lines */}}\nservices:\n  private:\n{{range tuple "x" "y"}}\n    {{.}}: { type: u }\n{{end}}    v: { type: u, zz: 1 }\n',
    'u/Mu.yaml': user('u', '  q: { type: string, optional: true }'),
  })
  expect(findings).toMatchObject([{ code: 'MU507', place: { file: 'Mu.yaml', line: 8, column: 26 } }])
})
