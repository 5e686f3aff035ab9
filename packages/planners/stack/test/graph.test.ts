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
