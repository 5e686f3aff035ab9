import { expect, test } from 'vitest'
import { parseBytes, renderBytes } from '../src/diagnostics.ts'

test.each([
  ['4096', 4096],
  ['20 GB', 20e9],
  ['1.5GiB', 1.5 * 2 ** 30],
  [' 7 kB ', 7000],
  ['1 TB', 1e12],
  ['0', undefined],
  ['-1', undefined],
  ['1 gb', undefined],
  ['1  GB', undefined],
  ['GB', undefined],
  ['', undefined],
  ['1e9', undefined],
  ['99999999 TB', undefined],
  ['0.5', undefined],
  ['1.5 B', undefined],
])('parseBytes(%j)', (text, bytes) => expect(parseBytes(text)).toBe(bytes))

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [9_999, '9999 B'],
  [10_400, '10 kB'],
  [9_999_999, '10000 kB'],
  [10_000_000, '10 MB'],
  [4e9, '4 GB'],
  [4_100_000_000, '4100 MB'],
  [12_345_678_901, '12 GB'],
])('renderBytes(%j)', (bytes, text) => expect(renderBytes(bytes)).toBe(text))
