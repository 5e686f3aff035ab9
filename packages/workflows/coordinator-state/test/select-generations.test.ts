import { describe, expect, test } from 'vitest'

import { selectGenerations } from '../src/coordinator-state.ts'

const DAY = 24 * 60 * 60 * 1000
const now = new Date('2026-11-21T12:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY)
const generations = [
  [1, 40],
  [2, 35],
  [4, 10],
  [10, 1],
].map(([number = 0, days = 0]) => ({ number, time: daysAgo(days) }))
const select = (text: string, current = 10) => selectGenerations(text, { generations, current, now })

describe('selectGenerations()', () => {
  test.each<[string, number, readonly number[]]>([
    ['1', 10, [1]],
    ['4,1', 10, [4, 1]],
    ['1, 2 4,1', 10, [1, 2, 4]],
    ['old', 10, [1, 2, 4]],
    ['old', 2, [1, 4, 10]],
    // The last generation that is older was still in use then.
    ['30d', 10, [1]],
    ['9d', 10, [1, 2]],
    ['0d', 10, [1, 2, 4]],
    ['0d', 2, [1, 4]],
    ['100d', 10, []],
  ])('%j, when %j is the current one', (text, current, expected) => {
    expect(select(text, current)).toEqual(expected)
  })

  test.each(['', 'x', '-1', '0', '01', '1-3', '+2', 'd', '-3d', '1.5d', '1;2', 'OLD', '9'.repeat(30)])(
    '%j does not say which',
    (text) => {
      expect(() => select(text)).toThrow(expect.objectContaining({ code: 'usage', exitStatus: 64 }))
    },
  )

  test('names what does not exist, and refuses the current one', () => {
    expect(() => select('1,3,7')).toThrow(
      expect.objectContaining({ message: 'there is no generation 3, 7', hint: 'there are generations 1, 2, 4, 10' }),
    )
    expect(() => select('2,10')).toThrow(expect.objectContaining({ code: 'current-generation' }))
  })
})
