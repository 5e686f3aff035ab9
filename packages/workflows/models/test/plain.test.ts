import { expect, test } from 'vitest'
import { plainOf, tableOf } from '../src/reading/plain.ts'

test('keys that cannot be made a text are left out of a table', () => {
  const nothing: unknown = Object.create(null)
  expect({
    ...tableOf([
      ['a', 1],
      [nothing, 2],
      [Symbol('b'), 3],
      [8080, 4],
    ]),
  }).toEqual({ a: 1, 8080: 4 })
  expect({ ...plainOf(new Map([[nothing, 1]])) }).toEqual({})
})
