import { expect, test } from 'vitest'
import { compiledDocument, parseArguments } from '../src/stack.ts'
import { compileTexts, errorsOf, ONE } from './testing.ts'

test('the root converts its arguments where it declares numbers and truth values; templates see text', () => {
  const texts = {
    'Mu.yaml':
      'name: a\nproperties: { n: { type: number }, b: { type: bool }, s: { type: string } }\nservices: { public: { c: { type: mu/container, env: { N: {{json .args.n}}, S: "{{.Options.Args.s}}" } } } }',
  }
  const outcome = compileTexts(texts, { words: ['--n', '8', '-b', '--s=1'] })
  expect(errorsOf(outcome)).toEqual([])
  const { properties, services } =
    outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { properties: new Map(), services: new Map() }
  expect(Object.fromEntries(properties)).toEqual({ n: 8, b: true, s: '1' })
  expect(Object.fromEntries(services.get('a/c')?.properties.get('env'))).toEqual({ N: '8', S: '1' })
  expect(errorsOf(compileTexts(texts, { words: ['n=x', 'b=yes', 's=1', 'toString=2'] }))).toEqual([
    ['MU508', 'bool', 'string'],
    ['MU508', 'number', 'string'],
    ['MU507', 'toString'],
  ])
})

test('arguments of the root name no services, and are no lists or objects', () => {
  const root = `name: a\nproperties: { s: { type: service }, l: { type: "string[]" }, o: { type: { properties: {} } } }\n${ONE}`
  expect(errorsOf(compileTexts({ 'Mu.yaml': root }, { words: ['s=c', 'l=c', 'o=c'] }))).toEqual([
    ['MU508', 'string[]', 'string'],
    ['MU508', 'object', 'string'],
    ['MU509', 'c'],
  ])
})

test.each<[readonly string[], Readonly<Record<string, string>>]>([
  [[], {}],
  [['k=v', '-l=w', '--m=x', '---n=y'], { k: 'v', l: 'w', m: 'x', '-n': 'y' }],
  [['k=', '=v', 'l=a=b'], { k: '', '': 'v', l: 'a=b' }],
  [['k', 'v', '-l', 'w', '--m', 'x'], { k: 'v', l: 'w', m: 'x' }],
  [['k', 'a=b', 'c'], { k: 'a=b', c: 'true' }],
  [['k', '-5', '--l', '--m'], { k: 'true', '5': 'true', l: 'true', m: 'true' }],
  [['k', '', 'l'], { k: '', l: 'true' }],
  [['k=1', 'k=2'], { k: '2' }],
])('the words %j are arguments', (words, expected) => {
  expect(Object.fromEntries(parseArguments(words))).toEqual(expected)
})

test('text becomes a number or truth value where that is declared in the end, and where it reads so', () => {
  const texts = {
    'Mu.yaml': `name: a
base: base
abstract: true
properties: { n: { type: hour }, i: { type: { base: number } }, y: { type: yes }, a: { type: any }, s: { type: string, default: x }, d: { type: number, default: 2 } }
schema: { private: { hour: { base: number, maximum: 24 }, yes: { base: bool } } }`,
    'base/Mu.yaml': 'name: base\nabstract: true\nproperties: { b: { type: bool }, m: { type: number } }',
  }
  const given = (words: readonly string[]) => {
    const outcome = compileTexts(texts, { words })
    return outcome.kind === 'compiled'
      ? Object.fromEntries(compiledDocument(outcome.stack).properties)
      : errorsOf(outcome)
  }
  expect(given(['n=7.5', 'i=-1e3', 'a=1', 'b=false', 'm=16', 's=true', 'y'])).toEqual({
    n: 7.5,
    i: -1000,
    y: true,
    a: '1',
    b: false,
    m: 16,
    s: 'true',
    d: 2,
  })
  expect(given(['n=25', 'i=1h', 'y=True', 'a=', 'b=', 'm= 1', 'd=~'])).toEqual([
    ['MU508', 'bool', 'string'],
    ['MU508', 'number', 'string'],
    ['MU508', 'number', 'string'],
    ['MU508', 'number', 'string'],
    ['MU517', 'maximum', 24, 25],
    ['MU508', 'yes', 'string'],
  ])
})
