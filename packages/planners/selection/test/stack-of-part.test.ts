import { manifestOf } from '@davit/comparison/testing'
import type { CompiledStack } from '@davit/documents'
import { expect, test } from 'vitest'

import { parseTerms, selectIn, stackOfPart } from '../src/selection.ts'

const FQNS = ['shop/db', 'shop/db/disk', 'shop/db/main', 'shop/dbs', 'shop/scale', 'shop/web']

/** A stack all of whose services, but those that are left out, have a property with this value. */
function stackWith(size: number, { name = 'shop', without = '' } = {}): CompiledStack {
  const service = { type: 't', chain: [], public: true, intrinsic: true, dependsOn: [], endpoints: [] }
  const properties = { properties: new Map([['size', size]]), readonly: ['size'], perturbs: [] }
  const services = new Map(FQNS.filter((fqn) => fqn !== without).map((fqn) => [fqn, { ...service, ...properties }]))
  const rest = { metadata: new Map(), arguments: new Map(), order: [], references: new Map() }
  return { name, services, ...rest, properties: new Map([['size', size]]) }
}

const MANIFEST = manifestOf({
  targets: { one: {}, two: {} },
  services: {
    'shop.db.disk': { on: ['one/process'] },
    'shop.db.main': { on: ['two/process'] },
    'shop.dbs': { on: ['one/process'] },
    'shop.web': { on: ['one/process', 'two/process'] },
  },
})

/** Names of what has new properties, the stack included. */
function newIn(on: string, before = stackWith(1)): readonly string[] {
  const selection = selectIn([MANIFEST], parseTerms([on]))
  const { name, properties, services } = stackOfPart(stackWith(2), { before, manifest: MANIFEST, selection })
  const all = [[name, { properties }] as const, ...services]
  return all.flatMap(([fqn, one]) => (one.properties.get('size') === 2 ? [fqn] : []))
}

test.each([
  ['one', ['shop/db/disk', 'shop/dbs', 'shop/scale']],
  ['two', ['shop/db/main', 'shop/scale']],
  ['service:shop.db.*', ['shop/db', 'shop/db/disk', 'shop/db/main', 'shop/scale']],
  ['service:shop.web@one', ['shop/scale']],
  ['one,two', ['shop', ...FQNS]],
])('with %s only what is deployed everywhere has new properties', (on, expected) => {
  expect(newIn(on)).toEqual(expected)
})

test('what there was not before is new, and so is another stack', () => {
  expect(newIn('two', stackWith(1, { without: 'shop/dbs' }))).toContain('shop/dbs')
  expect(newIn('two', stackWith(1, { name: 'other' }))).toContain('shop')
})
