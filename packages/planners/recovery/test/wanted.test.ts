import type { StorePath, TargetName } from '@davit/documents'
import { expect, test } from 'vitest'

import { targetsBeyond, type ToldTarget, type Wanted, wantedRun } from '../src/recovery.ts'

/**
 * `a=old run:1/2:new` is target `a` with the current profile `old`, told by a run, as its first lock, with two targets; `a~old` is one
 * that only this coordinator tells.
 */
function target(text: string): ToldTarget {
  const [place = '', ...told] = text.split(' ')
  const [name = '', current = ''] = place.split(/[=~]/)
  return {
    target: name as TargetName,
    isToldByAll: place.includes('='),
    current: current === '' ? undefined : (current as StorePath),
    told: told.map((one) => {
      const [, token = '', number, targets, path] = /^(\w+):(\d)\/(\d):(\w+)$/.exec(one) ?? []
      return {
        token,
        number: Number(number),
        targets: Number(targets),
        path: path as StorePath,
        isNew: path !== 'same',
      }
    }),
  }
}

test.each<[string, string[], unknown]>([
  ['no run was told', ['a=old', 'b=old', 'c='], 'nothing'],
  ['all were told, and none has it', ['a=old x:1/2:new', 'b=old x:7/2:newer'], { a: 'new', b: 'newer' }],
  ['nothing was there before', ['a= x:1/2:new', 'b= x:1/2:new'], { a: 'new', b: 'new' }],
  ['one has it already', ['a=new x:1/2:new', 'b=old x:7/2:newer'], { a: 'new', b: 'newer', recorded: ['a'] }],
  ['one stays as it is', ['a=same x:1/2:same', 'b=old x:7/2:newer'], { a: 'same', b: 'newer' }],
  ['all have it', ['a=new x:1/2:new', 'b=newer x:7/2:newer'], 'nothing'],
  ['one was not told yet', ['a=old x:1/2:new', 'b=old'], 'nothing'],
  ['one was reinstalled', ['a=old x:1/2:new', 'b='], { targets: 2, told: ['a'] }],
  ['one is not in the infrastructure', ['a=old x:1/2:new'], { targets: 2, told: ['a'] }],
  ['one cannot be told by others', ['a=old x:1/2:new', 'b~old'], { targets: 2, told: ['a'] }],
  ['another target was not part of it', ['a=old x:1/1:new', 'c=old', 'd='], { a: 'new', without: ['c'] }],
  ['they disagree on how many were told', ['a=old x:1/1:new', 'b=old x:7/2:newer'], { contradictory: { a: 1, b: 2 } }],
  ['one says that it was told alone', ['a=old x:1/3:new', 'b=old x:7/1:newer'], { contradictory: { a: 3, b: 1 } }],
  [
    'they disagree on a run before the last one',
    ['a=old x:1/1:new y:2/2:late', 'b=old x:7/2:newer y:8/2:late'],
    { a: 'late', b: 'late' },
  ],
  ['a later run told not all', ['a=old x:1/2:new y:2/2:late', 'b=old x:7/2:newer'], { a: 'new', b: 'newer' }],
  ['a later run told all', ['a=old x:1/2:new y:2/2:late', 'b=old x:7/2:newer y:8/2:late'], { a: 'late', b: 'late' }],
  ['a later one may have lost a target', ['a=old x:1/1:new y:2/2:late', 'b='], { targets: 2, told: ['a'] }],
])('wantedRun() if %s', (_, targets, expected) => {
  expect(shown(wantedRun(targets.map(target)))).toEqual(expected)
})

/** Names the profiles of a run, and the targets that have recorded it. */
function shown(wanted: Wanted): unknown {
  if (wanted.kind === 'nothing') return wanted.kind
  if (wanted.kind === 'incomplete') return { targets: wanted.targets, told: wanted.told }
  if (wanted.kind === 'contradictory') return { contradictory: Object.fromEntries(wanted.told) }
  const profiles = Object.fromEntries([...wanted.profiles].map(([name, { path }]) => [name, path]))
  const { recorded, without } = wanted
  return { ...profiles, ...(recorded.length === 0 ? {} : { recorded }), ...(without.length === 0 ? {} : { without }) }
}

test('targetsBeyond() names targets that know of something later', () => {
  const profiles = new Map(Object.entries({ a: 'new', b: 'new', c: 'new', d: 'new', e: 'new' })) as never
  const targets = ['a=new', 'b=old x:1/1:new', 'c=old', 'd=new x:2/1:late y:1/1:new', 'e='].map(target)
  expect(targetsBeyond(profiles, targets)).toEqual(['c', 'd'])
})
