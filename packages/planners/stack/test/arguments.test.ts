import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
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
