import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { type CompileSetup, compileTexts, errorsOf, type Texts } from './testing.ts'

/** Compiles a stack with one service of `u`, whose metadata is what its template makes of this. */
function shownBy(template: string, { args = '', ...setup }: CompileSetup & { args?: string } = {}, texts: Texts = {}) {
  const outcome = compileTexts(
    {
      'Mu.yaml': `name: a\nversion: 9.0.0\nservices: { private: { u: { type: u${args && `, ${args}`} } } }`,
      'u/Mu.yaml': `name: u
version: 1.2.3
author: me
license: '{{"x"}}'
properties:
  n: { type: any, default: 7 }
  s: { type: "service[]", optional: true }
services: { private: { c: { type: mu/container, env: { SHOWN: {{quote (print ${template})}} } } } }`,
      ...texts,
    },
    setup,
  )
  if (outcome.kind === 'refused') return outcome.findings.map(({ code, message }) => `${code}: ${message}`).join()
  const env = compiledDocument(outcome.stack).services.get('a/u/c')?.properties.get('env') as Map<string, unknown>
  return env.get('SHOWN')
}

test.each<[string, Parameters<typeof shownBy>[1], string]>([
  ['(has .args "n") .Properties', {}, 'false map[]'],
  ['.args.n', {}, "MU153: there is no field 'n'"],
  ['.Properties.n (eq .args.n .Properties.n)', { args: 'n: 1' }, '1 true'],
  ['(json .args.n)', { args: 'n: { a: [1.5, ~, "1", yes] }' }, '{"a":[1.5,null,"1","yes"]}'],
  ['(json .args.n)', { args: 'n: ~' }, 'null'],
  ['.args.m', { args: 'm: [1]' }, "MU507: there is no property 'm'"],
  ['(panic "%v" .args.m)', { args: 'm: [1]' }, 'MU153: [1]'],
  ['(json .args.s)', { args: 's: ["u:c"]' }, "MU513: 'c' is private in service 'u', of 'u'"],
  ['(json .meta)', {}, '{"author":"me","name":"u","version":"1.2.3"}'],
  ['.meta.license', {}, "MU153: there is no field 'license'"],
  ['.Options.Args.n', { words: ['n=1'] }, "MU507: there is no property 'n'"],
  ['(orElse .args "k" 1) .Options.Args', {}, '1 map[]'],
  ['.Options.SkipCodegen', { options: { skipsCode: false } }, 'false'],
  ['.Cluster.Name .Options.Cluster .Arch.Cloud .Arch.Scheduler', { target: 'aws:ecs' }, 'anonymousawsecs'],
  ['.Cluster.Settings.x', {}, "MU153: there is no field 'x'"],
  ['.Cluster.Nam', {}, "MU153: there is no field 'Nam'"],
  ['.Arch.cloud', {}, "MU153: there is no field 'cloud'"],
  ['.Properties.args', {}, "MU153: there is no field 'args'"],
  ['.properties', {}, "MU153: there is no field 'properties'"],
  ['.Vars.x', {}, "MU153: there is no field 'x'"],
])('%s shows with %j', (template, setup, expected) => {
  expect(shownBy(template, setup)).toBe(expected)
})

test('a template sees capabilities as their text, before anything about them is known', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nservices: { private: { one: { type: mu/container, port: 1 }, u: { type: u, s: "one:1" } } }',
    'u/Mu.yaml':
      'name: u\nproperties: { s: { type: service } }\nservices: { private: { c: { type: mu/container, env: { S: {{json .args.s}} } } } }',
  })
  expect(errorsOf(outcome)).toEqual([])
  const services = outcome.kind === 'compiled' ? compiledDocument(outcome.stack).services : new Map()
  expect(services.get('a/u/c')?.properties.get('env')).toEqual(new Map([['S', 'one:1']]))
})

test('every stack file is a template: the root, bases, schemas, services and what is fetched', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: {{"a"}}\nbase: {{"base"}}\nproperties: { p: { type: words/Word, default: w } }',
    'base/Mu.yaml': 'name: base\nabstract: true\nservices: { private: { {{upper "c"}}: { type: far } } }',
    'words/Mu.yaml':
      'name: words\nabstract: true\nschema: { public: { {{title "word"}}: { base: string, enum: [{{"w"}}] } } }',
    '.Mudeps/far/Mu.yaml': 'name: {{"far"}}\nintrinsic: {{true}}',
  })
  expect(errorsOf(outcome)).toEqual([])
  const services = outcome.kind === 'compiled' ? [...compiledDocument(outcome.stack).services.keys()] : []
  expect(services).toEqual(['a/C'])
})

test('each instance has an expansion of its own, with variables of its own', () => {
  const outcome = compileTexts({
    'Mu.yaml':
      '{{set "x" "root"}}name: a\nservices: { private: { u: { type: u, n: 1 }, v: { type: u, n: 2 }, w: { type: u, n: 1 } } }',
    'u/Mu.yaml': `name: u
properties: { n: { type: number } }
services: { private: { c: { type: mu/container, env: { A: {{json .Vars}}{{set "x" .args.n}}, B: {{get "x"}} } } } }`,
  })
  expect(errorsOf(outcome)).toEqual([])
  const services = outcome.kind === 'compiled' ? compiledDocument(outcome.stack).services : new Map()
  const env = (name: string) => services.get(`a/${name}/c`)?.properties.get('env')
  const shown = (n: number) =>
    new Map<string, unknown>([
      ['A', new Map()],
      ['B', n],
    ])
  expect(['u', 'v', 'w'].map(env)).toEqual([shown(1), shown(2), shown(1)])
})

test('a base is read with the arguments of the subclass', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: a\nservices: { private: { u: { type: sub, n: 3 } } }',
    'sub/Mu.yaml': 'name: sub\nbase: base',
    'base/Mu.yaml': `name: base
abstract: true
properties: { n: { type: number, default: 1 } }
services: { private: { {{range until .args.n}}c{{.}}: { type: mu/container }, {{end}} } }`,
  })
  expect(
    outcome.kind === 'compiled' ? [...compiledDocument(outcome.stack).services.keys()] : errorsOf(outcome),
  ).toEqual(['a/u', 'a/u/c0', 'a/u/c1', 'a/u/c2'])
})

test('an action between quotes of YAML is text like any other', () => {
  expect(shownBy('.meta.name "{{" `"` (print 1 2)')).toBe('u{{"1 2')
  const outcome = compileTexts({
    'Mu.yaml': `name: a\nabstract: true\ndescription: "{{"x"}}\\t{{'a'}} # {{print "y"}}" # {{"z"}}\nauthor: '{{"it"}}'''\n`,
  })
  expect(outcome.kind === 'compiled' && [...compiledDocument(outcome.stack).metadata]).toEqual([
    ['name', 'a'],
    ['description', 'x\t97 # y'],
    ['author', "it'"],
  ])
})

test('a fetched stack includes what is beside it, and nothing else; others include what is in the workspace', () => {
  const part = 'services: { private: { c: { type: mu/container } } }'
  const texts = {
    'Mu.yaml': 'name: a\nservices: { private: { far: , near: } }',
    '.Mudeps/far/Mu.yaml': 'name: far\n{{include "in/../part"}}',
    '.Mudeps/far/part': part,
    'near/Mu.yaml': 'name: near\n{{include "../part"}}',
    part,
  }
  expect(errorsOf(compileTexts(texts))).toEqual([])
  const reaching = { ...texts, '.Mudeps/far/Mu.yaml': 'name: far\n{{include "../../part"}}' }
  expect(compileTexts(reaching).findings).toMatchObject([
    { code: 'MU153', message: "include: '../../part' is outside of '.Mudeps/far'", place: { line: 2, column: 3 } },
  ])
  const sibling = {
    ...texts,
    '.Mudeps/far/Mu.yaml': 'name: far\n{{include "../far2/part"}}',
    '.Mudeps/far2/part': part,
  }
  expect(compileTexts(sibling).findings).toMatchObject([{ code: 'MU153', message: expect.stringContaining('outside') }])
})

test('an included file has the same context and variables, and prints where it is told to', () => {
  const outcome = compileTexts({
    'Mu.yaml':
      '{{set "x" "X"}}\nname: a\nservices:\n  private:\n{{with 1}}{{include "parts/c" | indent 4}}{{end}}\n    d: { type: mu/container, env: { Y: {{get "y"}} } }\n',
    'parts/c': 'c:\n  type: mu/container\n  env: { X: {{get "x"}}, M: {{.meta.name}}{{set "y" "Y"}} }',
  })
  expect(errorsOf(outcome)).toEqual([])
  const services = outcome.kind === 'compiled' ? compiledDocument(outcome.stack).services : new Map()
  expect(['a/c', 'a/d'].map((fqn) => services.get(fqn)?.properties.get('env'))).toEqual([
    new Map([
      ['X', 'X'],
      ['M', 'a'],
    ]),
    new Map([['Y', 'Y']]),
  ])
})

test.each([
  ['a template that cannot be parsed', 'name: a\nabstract: true\n# {{if}}\n', 3, 7],
  ['a comment that has an action', 'name: a\nabstract: true\n# {{nope}}\n', 3, 5],
  ['an action that fails', 'name: a\nabstract: true\n  {{index .args "x" "y"}}\n', 3, 5],
  ['markup behind what an action prints', '{{"name: a\\nabstract: true\\nversion: 1.0.0\\n"}}\nname: b\n', 2, 1],
  ['a shape behind trimmed blanks', 'name: a\n{{- /* c */ -}}\n\n\n  {{"\\n"}}abstract: 1', 5, 21],
])('the place of %s is in the file as written', (_, text, line, column) => {
  expect(compileTexts({ 'Mu.yaml': text }).findings).toMatchObject([{ place: { file: 'Mu.yaml', line, column } }])
})
