import { scryptSync } from 'node:crypto'

import { describe, expect, test } from 'vitest'

import type { digestOf, isDigestOf } from '../src/digest.ts'

interface Digests {
  readonly digestOf: typeof digestOf
  readonly isDigestOf: typeof isDigestOf
}

let runs = 0

/** Digests as another run computes them, which loads the module again. */
function ofAnotherRun(): Promise<Digests> {
  return import(/* @vite-ignore */ new URL(`../src/digest.ts?run=${(runs += 1)}`, import.meta.url).href) as never
}

const PARTS = /^scrypt:(\d+):([0-9a-f]{32}):([0-9a-f]{64})$/

describe('digestOf()', () => {
  test('takes a new salt for each run, so that nobody has tried values in advance, and runs cannot be compared', async () => {
    const four = await Promise.all([1, 2, 3, 4].map(ofAnotherRun))
    const digests = await Promise.all(four.map(async ({ digestOf }) => digestOf('hunter2')))
    const salts = digests.map((digest) => PARTS.exec(digest)?.[2])
    expect(new Set(salts).size).toBe(4)
    expect(new Set(digests).size).toBe(4)
    // Whatever salt it has, it is of the same text.
    const [{ isDigestOf } = await ofAnotherRun()] = four
    expect(await Promise.all(digests.map((digest) => isDigestOf(digest, 'hunter2')))).toEqual([true, true, true, true])
    expect(await isDigestOf(digests[1] ?? '', 'hunter3')).toBe(false)
  })

  test('costs 4,096 rounds of scrypt with 8 blocks, which is 4 MB of memory for each value that is tried', async () => {
    const { digestOf } = await ofAnotherRun()
    const [, cost, salt = '', hash] = PARTS.exec(await digestOf('hunter2')) ?? []
    expect(cost).toBe('4096')
    expect(hash).toBe(scryptSync('hunter2', salt, 32, { N: 4096, r: 8, p: 1 }).toString('hex'))
  })

  test('of another salt, value or cost is another one', async () => {
    const { digestOf, isDigestOf } = await ofAnotherRun()
    const digest = await digestOf('hunter2')
    const [, , salt = '', hash = ''] = PARTS.exec(digest) ?? []
    const cheap = scryptSync('hunter2', salt, 32, { N: 2 }).toString('hex')
    for (const other of [
      `scrypt:2:${salt}:${cheap}`,
      `scrypt:4096:${salt}:${cheap}`,
      `scrypt:4096:${'0'.repeat(32)}:${hash}`,
      `scrypt:4096::${hash}`,
      `x${digest}`,
      `${digest}0`,
    ])
      // oxlint-disable-next-line no-await-in-loop
      expect([other, await isDigestOf(other, 'hunter2')]).toEqual([other, false])
  })
})
