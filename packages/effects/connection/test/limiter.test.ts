import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { limiter } from '../src/limiter.ts'

test('limiter() runs so many tasks at a time, in order, whether they fail or not', async () => {
  const { run } = limiter(2)
  const started: number[] = []
  let running = 0
  let most = 0
  const task = (number: number) => async (): Promise<void> => {
    started.push(number)
    running += 1
    most = Math.max(most, running)
    await tick()
    running -= 1
    if (number % 2 === 0) throw new Error('even')
  }
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((number) => run(task(number))))
  expect(started).toEqual([0, 1, 2, 3, 4])
  expect(most).toBe(2)
  expect(results.map(({ status }) => status === 'rejected')).toEqual([true, false, true, false, true])
})
