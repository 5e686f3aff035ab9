import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf } from './testing.ts'

/** A stack of containers; each is named before what it waits for. */
function waiting(edges: Readonly<Record<string, readonly string[]>>, more = ''): string {
  const services = Object.entries(edges).map(
    ([name, others]) => `    ${name}: { type: w, after: [${others.join(', ')}]${more} }\n`,
  )
  return `name: r\nservices:\n  private:\n${services.join('')}`
}

const texts = (edges: Readonly<Record<string, readonly string[]>>, more?: string) => ({
  'Mu.yaml': waiting(edges, more),
  'w/Mu.yaml': `name: w\nproperties: { after: { type: "service[]" } }\nservices: { private: { c: { type: mu/container } } }\n`,
})

test.each([
  ['a service that waits for itself', { a: ['a'] }, [['MU600', ['r/a']]]],
  ['a cycle', { a: ['b'], b: ['c'], c: ['a', 'd'], d: [] }, [['MU600', ['r/a', 'r/b', 'r/c']]]],
  [
    'all cycles, in the order of their names',
    { z: ['a'], a: ['z'], m: ['k'], k: ['l'], l: ['m'] },
    [
      ['MU600', ['r/a', 'r/z']],
      ['MU600', ['r/k', 'r/l', 'r/m']],
    ],
  ],
])('%s', (_, edges, expected) => {
  const outcome = compileTexts(texts(edges))
  const told = errorsOf(outcome).map(([code, ...names]) => [code, names])
  expect([outcome.kind, told]).toEqual(['refused', expected])
})

test('cycles are looked for only if nothing else is wrong', () => {
  const outcome = compileTexts(texts({ a: ['b'], b: ['a'] }, ', zz: 1'))
  expect([outcome.kind, errorsOf(outcome)]).toEqual([
    'refused',
    [
      ['MU507', 'zz'],
      ['MU507', 'zz'],
    ],
  ])
})

test('among services that wait for nobody any more, the least name comes first', () => {
  const edges = { d: '', c: 'e', b: 'd', e: '', a: 'b', f: 'a' }
  const services = Object.entries(edges).map(([name, other]) => {
    return `${name}: { type: mu/container${other && `, links: { x: ${other} }`} }`
  })
  const outcome = compileTexts({ 'Mu.yaml': `name: r\nservices: { private: { ${services.join(', ')} } }` })
  const order = outcome.kind === 'compiled' ? compiledDocument(outcome.stack).order : errorsOf(outcome)
  expect(order).toEqual(['r/d', 'r/b', 'r/a', 'r/e', 'r/c', 'r/f'])
})

test('a service waits for every service that its properties name, at any depth, and for none of its children', () => {
  const outcome = compileTexts({
    'Mu.yaml': `name: r
services:
  private:
    a: { type: mu/container }
    b: { type: mu/container }
    c: { type: v }
    u: { type: u, l: { k: [{ s: a }, { s: c }] }, m: { n: b }, o: a }`,
    'u/Mu.yaml': `name: u
properties: { l: { type: "map[string]t[]" }, m: { type: { properties: { n: { type: mu/container } } } }, o: { type: any }, d: { type: service, default: own } }
schema: { private: { t: { properties: { s: { type: service } } } } }
services: { private: { own: { type: mu/container } } }`,
    'v/Mu.yaml': 'name: v\nservices: { public: { c: { type: mu/container } } }',
  })
  expect(errorsOf(outcome)).toEqual([])
  const { services } = outcome.kind === 'compiled' ? compiledDocument(outcome.stack) : { services: new Map() }
  const edges = [...services].map(([fqn, { dependsOn }]) => [fqn, dependsOn])
  expect(edges.filter(([, { length }]) => length > 0)).toEqual([['r/u', ['r/a', 'r/b', 'r/c']]])
})

/** A stack that makes one of itself with one less, until there is none left. */
const COUNTDOWN = `name: b
properties: { n: { type: number } }
services: { private: { {{if gt .args.n 0}}y: { type: b, n: {{sub .args.n 1}} }{{else}}c: { type: mu/container }{{end}} } }`

test('a stack may make itself with other arguments, and be made twice with equal ones side by side', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: r\nservices: { private: { x: { type: b, n: 2 }, z: { type: b, n: 2 } } }',
    'b/Mu.yaml': COUNTDOWN,
  })
  expect(errorsOf(outcome)).toEqual([])
  const order = outcome.kind === 'compiled' ? compiledDocument(outcome.stack).order : []
  expect(order).toEqual(['r/x/y/y/c', 'r/z/y/y/c'])
})

test('a stack that makes itself with equal arguments is told with all stacks of the loop, in order, and no others', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: r\nservices: { private: { x: { type: d, m: { k: 1, l: [2] } } } }',
    'd/Mu.yaml':
      'name: d\nproperties: { m: { type: any } }\nservices: { private: { y: { type: c, m: {{json .args.m}} } } }',
    'c/Mu.yaml':
      'name: c\nproperties: { m: { type: any } }\nservices: { private: { z: { type: b, m: {{json .args.m}} } } }',
    'b/Mu.yaml':
      'name: b\nproperties: { m: { type: any } }\nservices: { private: { y: { type: c, m: { l: [2], k: 1 } } } }',
  })
  expect(errorsOf(outcome)).toEqual([['MU601', 'b', 'c']])
})

test('a loop through several expansions of one file is told with the names of all of them', () => {
  const outcome = compileTexts({
    'Mu.yaml': 'name: r\nservices: { private: { x: { type: b, n: 1, m: { k: 1, l: [2] } } } }',
    'b/Mu.yaml': `name: b{{.args.n}}
properties: { n: { type: number }, m: { type: any } }
services: { private: { y: { type: b, m: { l: [2], k: 1 }, n: {{add1 (mod .args.n 3)}} } } }`,
  })
  expect(errorsOf(outcome)).toEqual([['MU601', 'b1', 'b2', 'b3']])
})
