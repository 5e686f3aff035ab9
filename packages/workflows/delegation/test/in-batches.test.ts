import { expect, test } from 'vitest'
import { inBatches } from '../src/in-batches.ts'

const never = new AbortController().signal

test('what is asked for at the same time is done together; what comes later, when there is a place', async () => {
  const { batches, ask, finish } = held([2])
  const first = Promise.all(['a', 'b', 'c', 'd'].map(ask))
  await turn()
  expect(batches).toEqual([['a', 'b']])
  const later = ask('e')
  finish()
  await turn()
  expect(batches).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  finish()
  await turn()
  finish()
  expect([await first, await later]).toEqual([['A', 'B', 'C', 'D'], 'E'])
  expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

test.each([
  [
    [2, 1, 1],
    ['ab', 'c', 'd'],
  ],
  [[100], ['abcd']],
  [
    [2, 2, 2, 1, 1],
    ['a', 'b', 'c', 'd'],
  ],
  [
    [3, 3],
    ['ab', 'cd'],
  ],
])('places of %j share what there is', async (places, expected) => {
  const { batches, ask } = held(places)
  for (const item of ['a', 'b', 'c', 'd']) void ask(item)
  await turn()
  expect(batches.map((batch) => batch.join(''))).toEqual(expected)
})

test('a batch that fails does not stop the next one', async () => {
  const ask = inBatches<string, string>({
    places: [1],
    signal: never,
    work: async ([item = '']) => (item === 'bad' ? Promise.reject(new Error('no')) : [item]),
  })
  const results = await Promise.allSettled([ask('bad'), ask('good')])
  expect(results).toMatchObject([{ reason: { message: 'no' } }, { value: 'good' }])
})

test('after an abort nothing new begins', async () => {
  const abort = new AbortController()
  const { batches, ask, finish } = held([1], abort.signal)
  const first = ask('a')
  const second = ask('b')
  await turn()
  abort.abort(new Error('stopped'))
  finish()
  await expect(second).rejects.toThrow('stopped')
  expect([await first, batches]).toEqual(['A', [['a']]])
})

/** Batches that end one after the other, on request. */
function held(places: readonly number[], signal = never) {
  const batches: (readonly string[])[] = []
  const ends: (() => void)[] = []
  const ask = inBatches<string, string>({
    places,
    signal,
    async work(items) {
      batches.push(items)
      await new Promise<void>((resolve) => ends.push(resolve))
      return items.map((item) => item.toUpperCase())
    },
  })
  return { batches, ask, finish: () => ends.shift()?.() }
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))
}
