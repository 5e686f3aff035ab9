import { expect, test, vi } from 'vitest'
import { eventually, until, waitAtMost } from '../src/wait.ts'

test('eventually() returns the first value that is not false, also one that is undefined', async () => {
  const values = [false, false, 'here'] as const
  let looks = 0
  expect(await eventually('a value', () => values[looks++]!)).toBe('here')
  expect(looks).toBe(3)
  expect(await eventually('nothing', () => undefined)).toBe(undefined)
})

test('until() goes on after an assertion that fails, or another error', async () => {
  const seen: string[] = []
  await until(() => {
    seen.push('x')
    if (seen.length === 1) throw new Error('too early')
    expect(seen).toHaveLength(3)
  })
  expect(seen).toHaveLength(3)
})

test('until() does not wait for fake timers', async () => {
  vi.useFakeTimers()
  try {
    let looks = 0
    await until(() => ++looks === 3)
  } finally {
    vi.useRealTimers()
  }
})

test('what does not come about is named, with what was there instead', async () => {
  const expected = 'gave up waiting for the log after 0 seconds: '
  await expect(waitAtMost(0, 'the log', () => expect('one').toBe('two'))).rejects.toMatchObject({
    message: expect.stringContaining(`${expected}expected 'one' to be 'two'`) as string,
    actual: 'one',
  })
  await expect(waitAtMost(0, 'the log', () => false)).rejects.toThrow(`${expected}it was not so`)
})
