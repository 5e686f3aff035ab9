import { expect, test } from 'vitest'
import { printable } from '../src/diagnostics.ts'

test.each([
  ['plain text, Ünïcode 😀', 'plain text, Ünïcode 😀'],
  ['line\nand\ttab', 'line\nand\ttab'],
  ['\u001b[31mred\u0007', '\\u001b[31mred\\u0007'],
  ['a\rb', 'a\\u000db'],
  ['\u009b\u007f', '\\u009b\\u007f'],
  ['\ufeffhalf \ud83d, 😀', '\\ufeffhalf \\ud83d, 😀'],
  ['left\u202eright\u2066', 'left\\u202eright\\u2066'],
])('printable(%j)', (text, shown) => {
  expect(printable(text)).toBe(shown)
})
