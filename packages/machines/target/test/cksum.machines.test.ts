import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

import { expect, test } from 'vitest'

import { CksumSum } from '../src/streams/cksum.ts'

test.each([0, 1, 7, 8, 9, 15, 16, 17, 300, 70_001])('CksumSum prints what cksum prints for %i bytes', (length) => {
  const bytes = randomBytes(length)
  const [expected] = spawnSync('cksum', { input: bytes, encoding: 'utf8' }).stdout.split(' ')
  // However the bytes are divided.
  for (const size of [1, 3, 8, 13, length + 1]) {
    const sum = new CksumSum()
    for (let start = 0; start < length; start += size) sum.update(bytes.subarray(start, start + size))
    expect([size, sum.digest()]).toEqual([size, expected])
  }
})
