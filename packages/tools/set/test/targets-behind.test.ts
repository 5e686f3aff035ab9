import type { Manifest, StorePath, TargetName } from '@davit/documents'
import { expect, test } from 'vitest'

import { targetsBehind } from '../src/targets-behind.ts'

const manifestOf = (profiles: Readonly<Record<string, string>>): Manifest => ({
  profiles: new Map(Object.entries(profiles).map(([target, path]) => [target as TargetName, path as StorePath])),
  services: new Map(),
  infrastructure: new Map(),
  serviceMappings: [],
  snapshotMappings: [],
  store: { kind: 'native', directory: '/store' },
})
const reached = new Set(['a'] as TargetName[])

test.each([
  ['nothing is known', undefined, ['b']],
  ['it had another one', { a: '/a', b: '/old' }, ['b']],
  ['it had none', { a: '/a' }, ['b']],
  ['it has it already', { a: '/old', b: '/b' }, []],
])('targetsBehind() of a target that was passed over, when %s', (_, last, expected) => {
  const before = last === undefined ? undefined : manifestOf(last)
  expect(targetsBehind(manifestOf({ a: '/a', b: '/b' }), reached, before)).toEqual(expected)
})

test('targetsBehind() looks only at targets that are to have a profile', () => {
  expect(targetsBehind(manifestOf({ a: '/a' }), reached, manifestOf({ a: '/a', gone: '/g' }))).toEqual([])
})
