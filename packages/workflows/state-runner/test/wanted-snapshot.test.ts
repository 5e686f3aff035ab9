import type { TargetName } from '@davit/documents'
import type { Snapshot } from '@davit/target'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { generationsToCopy } from '../src/generations-to-copy.ts'
import { chooseSnapshot, type KeptComponent, namesWith, parseWanted } from '../src/wanted-snapshot.ts'

/** A snapshot in the form `NAME SINCE [TAKEN]`, with days of a month. */
function snapshot(text: string, index: number): Snapshot {
  const [name = '', since, taken] = text.split(' ')
  const day = (number: string) => `2026-11-${number}T12:00:00Z`
  return {
    container: 'box',
    component: 'db',
    generation: index + 1,
    name,
    ...(since === undefined ? {} : { since: new Date(day(since)) }),
    facts: taken === undefined ? {} : { taken: day(taken) },
  }
}

const kept = (target: string, ...texts: readonly string[]): KeptComponent => ({
  target: target as TargetName,
  store: undefined as never,
  snapshots: texts.map(snapshot),
})
const choose = (all: readonly KeptComponent[], wanted: string, preferred = 't1') => {
  const chosen = chooseSnapshot(
    all,
    wanted === 'latest' ? { kind: 'latest' } : parseWanted(wanted),
    preferred as TargetName,
  )
  return chosen === undefined ? undefined : `${chosen.snapshot.name} of ${chosen.target}`
}

describe('the snapshot to restore', () => {
  /** The same state A on Monday the 2nd, and again from the 4th to the 6th. */
  const week = kept('t1', 'A 02 06', 'B 03 03', 'A 04 06')

  test.each([
    ['2026-11-01', undefined],
    ['2026-11-02', 'A of t1'],
    ['2026-11-02T11:59', undefined],
    ['2026-11-02T12:00:00Z', 'A of t1'],
    ['2026-11-02T13:30+02:00', undefined],
    ['2026-11-02 12:00', 'A of t1'],
    ['2026-11-03 12:00:00 UTC', 'B of t1'],
    ['2026-11-05', 'A of t1'],
    ['latest', 'A of t1'],
    ['B', 'B of t1'],
    ['C', undefined],
  ])('for %s is %s', (wanted, expected) => {
    expect(choose([week], wanted)).toBe(expected)
  })

  test.each([
    ['of the same target', [kept('t1', 'A 02 02'), kept('t2', 'B 09 09')], 'A of t1'],
    ['or the one that was seen last', [kept('t2', 'A 02 09'), kept('t3', 'B 03 03')], 'A of t2'],
    ['or the newest of another one', [kept('t2', 'A 02 02'), kept('t3', 'B 09 09'), kept('t4', 'C 03 03')], 'B of t3'],
    ['or one without a time', [kept('t2', 'A')], 'A of t2'],
    ['or none', [], undefined],
  ])('is the latest %s', (_, all, expected) => {
    expect(choose(all, 'latest')).toBe(expected)
  })

  test('is named by its beginning, unless a whole name is that', () => {
    const all = [kept('t1', '1 02', '10 03', '2 04'), kept('t2', '10 03')]
    expect(namesWith(all, '1')).toEqual(['1'])
    expect(choose(all, '1')).toBe('1 of t1')
    expect(namesWith(all, '10')).toEqual(['10'])
    expect(namesWith([kept('t1', 'ab1 02', 'ab2 03')], 'ab')).toEqual(['ab1', 'ab2'])
  })

  test.each(['', '-x', 'a b', '../x', '2026-13-45', '2026-11-02T25:00', 'a/b'])("is not '%s'", (text) => {
    expect(() => parseWanted(text)).toThrow(/neither the name of a snapshot nor a date/)
  })
})

describe('generations to copy', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['A B C', '', 'A B C'],
    ['A B C', 'A B', 'C'],
    ['A B C', 'A B C', ''],
    ['A B C', 'B', 'A B C'],
    ['A B A C', 'A B A', 'C'],
    ['A B', 'X', 'A B'],
    ['', 'A', ''],
  ]
  const list = (text: string) => (text === '' ? [] : text.split(' ').map(snapshot))

  test.each(rows)("of '%s' to '%s' are '%s'", (here, there, expected) => {
    const copied = generationsToCopy(list(here), list(there), 'all')
    expect(copied.map(({ name }) => name).join(' ')).toBe(expected)
  })

  test('give the other store every state, and the same latest one', () => {
    const names = fc.array(fc.constantFrom('A', 'B', 'C', 'D'), { maxLength: 8 })
    fc.assert(
      fc.property(names, names, fc.constantFrom('latest' as const, 'all' as const), (here, there, which) => {
        const copied = generationsToCopy(list(here.join(' ')), list(there.join(' ')), which).map(({ name }) => name)
        const after = [...there, ...copied]
        expect(after.at(-1)).toBe(here.at(-1) ?? there.at(-1))
        expect(which === 'latest' || here.every((name) => after.includes(name))).toBe(true)
      }),
    )
  })
})
