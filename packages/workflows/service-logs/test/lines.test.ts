import type { ContainerName, ServiceName, TargetName } from '@davit/documents'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { mergeByTime } from '../src/merge-lines.ts'
import { LineSplitter } from '../src/split-lines.ts'
import { timeLines } from '../src/time-lines.ts'

const TIMED = fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 9 }), { maxLength: 5 })

function numbered(lists: readonly (readonly number[])[]) {
  return lists.map((times, list) => times.map((at, index) => ({ at, list, index })))
}

describe('mergeByTime()', () => {
  test('keeps every line, and the order in each list', () => {
    fc.assert(
      fc.property(TIMED, (times) => {
        const lists = numbered(times)
        const merged = mergeByTime(lists)
        expect(lists.map((_, number) => merged.filter(({ list }) => list === number))).toEqual(lists)
      }),
    )
  })

  test('is in order of time if each list is', () => {
    fc.assert(
      fc.property(TIMED, (times) => {
        const lists = numbered(times.map((some) => some.toSorted((left, right) => left - right)))
        const merged = mergeByTime(lists)
        expect(merged.map(({ at }) => at)).toEqual(times.flat().toSorted((left, right) => left - right))
      }),
    )
  })

  test('does not put lines of another list between lines of the same time', () => {
    fc.assert(
      fc.property(TIMED, (times) => {
        const merged = mergeByTime(numbered(times.map((some) => some.toSorted((left, right) => left - right))))
        const runs = merged.filter(({ at, list }, index) => {
          const before = merged[index - 1]
          return before?.at !== at || before.list !== list
        })
        expect(new Set(runs.map(({ at, list }) => `${at} ${list}`)).size).toBe(runs.length)
      }),
    )
  })

  test('merges what is merged already in the same way', () => {
    fc.assert(
      fc.property(TIMED, (times) => {
        const sorted = numbered(times.map((some) => some.toSorted((left, right) => left - right)))
        expect(mergeByTime([mergeByTime(sorted)])).toEqual(mergeByTime(sorted))
      }),
    )
  })
})

describe('LineSplitter', () => {
  test('gives the lines of a text, however it is cut', () => {
    const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(text), (parts) => {
        const splitter = new LineSplitter()
        const found = [...parts.flatMap((part) => splitter.take(part)), ...splitter.end()]
        const whole = parts.join('').split('\n')
        if (whole.at(-1) === '') whole.pop()
        expect(found).toEqual(whole.map((line) => line.replace(/\r$/, '')))
      }),
    )
  })

  test('cuts off a line without end, and finds the next one', () => {
    const splitter = new LineSplitter()
    const long = 'x'.repeat(10_000)
    for (let count = 0; count < 100; count += 1) expect(splitter.take(long)).toEqual([])
    const [cut, next] = splitter.take('\nnext\n')
    expect([cut?.length, cut?.slice(-5), next]).toEqual([16_388, 'x ...', 'next'])
  })
})

describe('timeLines()', () => {
  const source = { target: 't' as TargetName, container: 'c' as ContainerName, service: 's' as ServiceName }
  const terms = { source, clock: { now: 9_000, zone: 0 }, otherwise: 5_000 }
  const told = (lines: readonly string[]) => timeLines(lines, terms).map(({ at, isTimed, text }) => [at, isTimed, text])

  test('gives a line without a time that of the line before it, and the first ones that of the first time', () => {
    const lines = ['head', '1970-01-01T00:00:02Z two', '  more', '1970-01-01T00:00:03Z three']
    expect(told(lines)).toEqual([
      [2_000, false, 'head'],
      [2_000, true, 'two'],
      [2_000, false, '  more'],
      [3_000, true, 'three'],
    ])
  })

  test('gives lines of which nothing tells the time that of the file', () => {
    expect(told(['one', 'two'])).toEqual([
      [5_000, false, 'one'],
      [5_000, false, 'two'],
    ])
  })
})
