import { expect, test, vi } from 'vitest'

const CASES = Array.from({ length: 50 }, (_, index) => ({ index, run: () => index }))

/** Loads the module as a run with this seed does. */
async function effortWith(seed: string) {
  vi.resetModules()
  for (const variable of ['DAVIT_TEST_ALL', 'DAVIT_TEST_THOROUGH']) vi.stubEnv(variable, '')
  vi.stubEnv('DAVIT_TEST_SEED', seed)
  const effort = await import('../src/effort.ts')
  vi.unstubAllEnvs()
  return effort
}

test('the same seed samples the same cases, and another one others', async () => {
  const sampled = async (seed: string) => (await effortWith(seed)).sampleOf(CASES, 5).map(({ index }) => index)
  expect(await sampled('1')).toEqual(await sampled('1'))
  expect(await sampled('1')).not.toEqual(await sampled('2'))
})

test('a number is chosen for its purpose, below its limit', async () => {
  const { chosen } = await effortWith('7')
  const numbers = CASES.map(({ index }) => chosen(10, `purpose ${index}`))
  expect(numbers).toEqual(CASES.map(({ index }) => chosen(10, `purpose ${index}`)))
  expect(numbers.every((number) => number >= 0 && number < 10)).toBe(true)
  expect(new Set(numbers).size).toBeGreaterThan(5)
})
