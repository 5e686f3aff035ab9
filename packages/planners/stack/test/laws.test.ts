import * as fc from 'fast-check'
import { CompiledStack, encodeDocument } from '@davit/documents'
import { expect, test } from 'vitest'
import { compiledDocument } from '../src/stack.ts'
import { compileTexts, errorsOf } from './testing.ts'

/** Services of a stack: each has a port, and links to services that come before it, so that there is no cycle. */
const services = fc
  .array(
    fc.record({
      port: fc.integer({ min: 1, max: 65535 }),
      links: fc.array(fc.nat(20), { maxLength: 3 }),
      isPublic: fc.boolean(),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((list) =>
    list.map(({ port, links, isPublic }, index) => ({
      name: `s${index}`,
      isPublic,
      port,
      links: [...new Set(links.filter((link) => link < index))].map((link) => `s${link}`),
    })),
  )
type Services = typeof services extends fc.Arbitrary<infer Value> ? Value : never

function tableOf(list: Services, isPublic: boolean): object {
  const chosen = list.filter((service) => service.isPublic === isPublic)
  return Object.fromEntries(
    chosen.map(({ name, port, links }) => [
      name,
      { type: 'mu/container', port, links: Object.fromEntries(links.map((link) => [`to_${link}`, link])) },
    ]),
  )
}

function stackOf(list: Services): string {
  return JSON.stringify({ name: 'r', services: { public: tableOf(list, true), private: tableOf(list, false) } })
}

function documentOf(texts: Readonly<Record<string, string>>) {
  const outcome = compileTexts(texts)
  expect(errorsOf(outcome)).toEqual([])
  if (outcome.kind === 'refused') throw new Error('refused')
  return compiledDocument(outcome.stack)
}

test('the order of keys makes no difference, and JSON means the same as YAML', () => {
  fc.assert(
    fc.property(services, fc.infiniteStream(fc.nat()), (list, weights) => {
      const shuffled = list
        .map((service) => ({ service, weight: weights.next().value }))
        .toSorted((left, right) => left.weight - right.weight)
        .map(({ service }) => service)
      const [left, right] = [documentOf({ 'Mu.yaml': stackOf(shuffled) }), documentOf({ 'Mu.json': stackOf(list) })]
      expect(encodeDocument(CompiledStack, left, 'json')).toBe(encodeDocument(CompiledStack, right, 'json'))
    }),
    { numRuns: 30 },
  )
})

test('in the order, every service comes after those that it names', () => {
  fc.assert(
    fc.property(services, (list) => {
      const { order, services: records } = documentOf({ 'Mu.yaml': stackOf(list) })
      expect(order.toSorted()).toEqual(list.map(({ name }) => `r/${name}`).toSorted())
      for (const [fqn, { dependsOn }] of records) {
        for (const other of dependsOn) expect(order.indexOf(other)).toBeLessThan(order.indexOf(fqn))
      }
    }),
    { numRuns: 30 },
  )
})

test('whatever a stack file contains, there is a result or an error with a code', () => {
  const words = fc.constantFrom(
    'name',
    'type',
    'services',
    'private',
    'base',
    'x',
    'mu/container',
    'string[]',
    '{{',
    '}}',
    ':',
    '\n',
    '  ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '-',
    '"',
    '&a',
    '*a',
    '1',
    '~',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      const outcome = compileTexts({ 'Mu.yaml': parts.join('') })
      expect(outcome.kind === 'compiled' || errorsOf(outcome).length > 0).toBe(true)
    }),
    { numRuns: 200 },
  )
})
