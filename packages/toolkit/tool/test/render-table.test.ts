import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { renderTable } from '../src/render-table.ts'

const ROWS = [
  ['NAME', 'PACKAGE', 'SINCE'],
  ['web', 'a-package-with-a-long-name', 'yesterday'],
  ['', 'short', ''],
]

describe('renderTable()', () => {
  test.each([
    [undefined, 'NAME  PACKAGE                     SINCE\nweb   a-package-with-a-long-name  yesterday\n      short\n'],
    [43, 'NAME  PACKAGE                     SINCE\nweb   a-package-with-a-long-name  yesterday\n      short\n'],
    [42, 'NAME  PACKAGE\nweb   a-package-with-a-long-name\n      short\n'],
    [20, 'NAME  PACKAGE\nweb   a-packa…g-name\n      short\n'],
    [5, 'NAME  PACKAGE\nweb   a-p…ame\n      short\n'],
  ])('fits into %s columns', (columns, text) => {
    expect(renderTable(ROWS, { columns, dispensable: [2] })).toBe(text)
  })

  test('is as narrow as the terminal, or as its head', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '𝒳'), maxLength: 30 })
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 100 }), (body, columns) => {
        const lines = renderTable([['ONE', 'TWO', 'THREE'], ...body], { columns }).split('\n')
        const widths = lines.map((line) => Array.from(line).length)
        expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(columns, 'ONE  TWO  THREE'.length))
        expect(lines).toHaveLength(body.length + 2)
      }),
    )
  })
})
